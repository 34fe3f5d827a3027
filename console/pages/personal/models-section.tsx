/** Models that the account may call; a click copies the name. */
import { Button, Skeleton, TextInput } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Skeleton.css';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { account as endpoints } from '../../../daemon/contract/account.ts';
import { callsFor } from '../../api/client.ts';
import { useCopy } from '../../components/copy.tsx';
import { ErrorPanel, Section } from '../../components/section.tsx';
import { Tag } from '../../components/tag.tsx';
import { nameTone } from '../../components/tones.ts';
import { readText, writeText } from '../../session/storage.ts';
import classes from './personal-page.module.css';

const account = callsFor({ models: endpoints.models });

const storageKey = 'models-expanded';
/** Shown while the list is folded. */
const first = 10;

export function ModelsSection() {
  const { t } = useTranslation('personal');
  const copy = useCopy();
  const models = useQuery({ queryKey: ['own-models'], queryFn: ({ signal }) => account.models({}, { signal }) });
  const [isOpen, setOpen] = useState(readText(storageKey) === 'true');
  const [search, setSearch] = useState('');
  const all = models.data ?? [];
  const wanted = search.trim().toLowerCase();
  const found = wanted === '' ? all : all.filter((name) => name.toLowerCase().includes(wanted));
  const shown = isOpen || wanted !== '' ? found : found.slice(0, first);
  const toggle = () => {
    setOpen(!isOpen);
    writeText(storageKey, String(!isOpen));
  };
  return (
    <Section title={t('models.title')}>
      {models.isPending && <Skeleton height={64} />}
      {models.isError && <ErrorPanel error={models.error} onRetry={() => void models.refetch()} />}
      {models.data && all.length === 0 && <p className={classes.plain}>{t('models.none')}</p>}
      {all.length > first && (
        <TextInput
          className={classes.search}
          aria-label={t('models.search')}
          placeholder={t('models.search')}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      {all.length > 0 && found.length === 0 && <p className={classes.plain}>{t('models.noMatch')}</p>}
      {shown.length > 0 && (
        <ul className={classes.models}>
          {shown.map((name) => (
            <li key={name}>
              <button type="button" className={classes.model} title={t('models.copy')} onClick={() => void copy(name)}>
                <Tag tone={nameTone(name)}>{name}</Tag>
              </button>
            </li>
          ))}
        </ul>
      )}
      {wanted === '' && all.length > first && (
        <Button variant="subtle" size="xs" className={classes.more ?? ''} aria-expanded={isOpen} onClick={toggle}>
          {isOpen ? t('models.less') : t('models.more')}
        </Button>
      )}
    </Section>
  );
}
