/** Saved views of a list: opened by a link, deleted, and the one that is shown saved under a name (console.md 7.2). */
import { Button, TextInput } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import { IconTrash } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router-dom';
import { Dialog } from './dialog.tsx';
import {
  longestViewName,
  mostViews,
  queryOfView,
  readViews,
  type SavedView,
  withView,
  writeViews,
} from './saved-views.ts';
import classes from './views-dialog.module.css';

export interface ViewsDialogProps {
  /** Name of the list in the storage. */
  readonly list: string;
  /** Parameters of its filters. */
  readonly filters: readonly string[];
  readonly onClose: () => void;
}

export function ViewsDialog({ list, filters, onClose }: ViewsDialogProps) {
  const { t } = useTranslation('list');
  const [search] = useSearchParams();
  const [views, setViews] = useState(() => readViews(list));
  const [name, setName] = useState('');
  const [problem, setProblem] = useState<string>();
  const current = queryOfView(search, filters);
  const change = (next: readonly SavedView[]) => {
    writeViews(list, next);
    setViews(next);
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    const wanted = name.trim();
    const next = withView(views, { name: wanted, query: current.query });
    if (wanted === '') return setProblem(t('views.nameMissing'));
    if (next.length > mostViews) return setProblem(t('views.tooMany', { n: mostViews }));
    change(next);
    setName('');
    setProblem(undefined);
  };
  return (
    <Dialog opened onClose={onClose} title={t('views.title')}>
      {views.length === 0 ? (
        <p className={classes.none}>{t('views.none')}</p>
      ) : (
        <ul className={classes.views}>
          {views.map((view) => (
            <li key={view.name} data-current={view.query === current.query || undefined}>
              <Link
                to={{ search: view.query }}
                onClick={onClose}
                aria-current={view.query === current.query ? 'true' : undefined}
              >
                {view.name}
              </Link>
              <button
                type="button"
                aria-label={t('views.delete', { name: view.name })}
                title={t('views.delete', { name: view.name })}
                onClick={() => change(views.filter((other) => other !== view))}
              >
                <IconTrash size={16} stroke={1.75} aria-hidden="true" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <form className={classes.form} onSubmit={save}>
        <TextInput
          className={classes.name ?? ''}
          label={t('views.name')}
          description={t(current.isCut ? 'views.withoutKeys' : 'views.hint')}
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value);
            setProblem(undefined);
          }}
          error={problem}
          maxLength={longestViewName}
          autoComplete="off"
          data-autofocus
        />
        <Button type="submit">{t('views.save')}</Button>
      </form>
    </Dialog>
  );
}
