/** Which models a channel offers: picked from lists, typed, or asked of the upstream (console.md 6.9 "Model picker"). */
import { Button, TextInput } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/UnstyledButton.css';
import { type KeyboardEvent, type ReactNode, Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../../daemon/contract/client.ts';
import { requestIdOf } from '../../api/failures.ts';
import { useCopy } from '../../components/copy.tsx';
import { lazyPart } from '../../components/late-part.tsx';
import { namesIn } from '../../components/model-options.ts';
import { ModelSelect } from '../../components/model-select.tsx';
import { toast } from '../../components/toast.ts';
import { channels, upstreamWait } from './channel-calls.ts';
import classes from './editor.module.css';
import { addModels, compareModels } from './model-list.ts';
import { specialFieldsOf } from './special-fields.ts';
import { useEveryModel, useModelsOfType } from './use-built-in-models.ts';

const FetchedModels = lazyPart(() => import('./fetched-models.tsx').then((m) => ({ default: m.FetchedModels })));

/** Who is asked for the list of an upstream. */
export interface ModelSource {
  readonly id: number | undefined;
  readonly type: number;
  readonly base_url: string;
  readonly key: string;
  /** What is in the form is not what is saved. */
  readonly isChanged: boolean;
}

export interface ModelPickerProps {
  readonly models: readonly string[];
  readonly onChange: (models: readonly string[]) => void;
  readonly error?: ReactNode;
  readonly mapping?: Readonly<Record<string, string>>;
  /** Absent where no single upstream is behind the list. */
  readonly source?: () => ModelSource;
  readonly isOptional?: boolean;
}

const noMapping = {};

export function ModelPicker({ models, onChange, error, mapping = noMapping, source, isOptional }: ModelPickerProps) {
  const { t } = useTranslation('channel-editor');
  const copy = useCopy();
  const every = useEveryModel();
  const [custom, setCustom] = useState('');
  const [isFetching, setFetching] = useState(false);
  const [offered, setOffered] = useState<readonly string[]>();
  const type = source?.().type;
  const builtIn = useModelsOfType(type);
  const related = useMemo(
    () => (type === undefined ? builtIn : [...new Set([...(specialFieldsOf(type).models ?? []), ...builtIn])]),
    [type, builtIn],
  );
  const options = useMemo(() => [...new Set([...related, ...every])], [related, every]);

  const add = (names: readonly string[]) => onChange(addModels(models, names).models);
  const addCustom = () => {
    if (namesIn(custom).length === 0) return;
    const { models: next, added, ignored } = addModels(models, namesIn(custom));
    onChange(next);
    if (added.length > 0) toast.success(t('models.added', { count: added.length, list: added.join(', ') }));
    if (ignored.length > 0) toast.info(t('models.ignored', { list: ignored.join(', ') }));
    setCustom('');
  };
  const fetchList = async () => {
    if (!source) return;
    const { id, type, base_url, key, isChanged } = source();
    if (key.trim() === '' && (id === undefined || isChanged)) {
      toast.error(t('models.keyNeeded'));
      return;
    }
    setFetching(true);
    try {
      setOffered(
        id !== undefined && !isChanged
          ? await channels.fetchModels({ id }, upstreamWait)
          : await channels.fetchModelsDraft({ base_url, type, key }, upstreamWait),
      );
    } catch (failure) {
      const reason = failure instanceof ApiError ? failure.message : '';
      toast.error(t('models.fetchFailed'), { extra: reason, requestId: requestIdOf(failure) });
    } finally {
      setFetching(false);
    }
  };
  const button = { size: 'xs', variant: 'default' } as const;
  return (
    <div>
      <ModelSelect
        label={t('field.models')}
        required={!isOptional}
        value={models}
        onChange={onChange}
        options={options}
        error={error}
        data-path="models"
      />
      <div className={classes.under}>
        <div className={classes.acts}>
          {source && (
            <Button {...button} onClick={() => add(related)} disabled={related.length === 0}>
              {t('models.related')}
            </Button>
          )}
          <Button {...button} onClick={() => add(every)} disabled={every.length === 0}>
            {t('models.every')}
          </Button>
          {source && (
            <Button {...button} onClick={fetchList} loading={isFetching}>
              {t('models.fetch')}
            </Button>
          )}
          <Button {...button} onClick={() => onChange([])} disabled={models.length === 0}>
            {t('models.clear')}
          </Button>
          <Button
            {...button}
            onClick={() => copy(models.join(','), { label: t('models.copied', { count: models.length }) })}
            disabled={models.length === 0}
          >
            {t('models.copy')}
          </Button>
        </div>
        <TextInput
          aria-label={t('models.custom')}
          placeholder={t('models.customHelp')}
          value={custom}
          onChange={(event) => setCustom(event.currentTarget.value)}
          onKeyDown={(event: KeyboardEvent) => {
            if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
            // With a modifier it submits, including what stands here.
            if (!event.ctrlKey && !event.metaKey) event.preventDefault();
            addCustom();
          }}
          // What was typed is meant; nobody has to press the button before submitting.
          onBlur={addCustom}
          autoComplete="off"
          rightSectionWidth={72}
          rightSection={
            <Button size="compact-xs" variant="light" onClick={addCustom} disabled={namesIn(custom).length === 0}>
              {t('models.add')}
            </Button>
          }
        />
      </div>
      <Suspense fallback={null}>
        {offered && (
          <FetchedModels
            found={compareModels(models, offered, mapping)}
            onClose={() => setOffered(undefined)}
            onApply={(change) => {
              const kept = models.filter((model) => !change.removed.includes(model));
              onChange([...kept, ...change.added]);
              setOffered(undefined);
            }}
          />
        )}
      </Suspense>
    </div>
  );
}
