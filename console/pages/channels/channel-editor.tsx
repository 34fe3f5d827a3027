/** The drawer in which a channel is made or changed (console.md 6.9 "Drawer"). */
import { Button } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/UnstyledButton.css';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router-dom';
import { ApiError } from '../../../daemon/contract/api-error.ts';
import { confirm } from '../../components/confirm.tsx';
import { FormDrawer } from '../../components/form-drawer.tsx';
import { lazyPart } from '../../components/late-part.tsx';
import { afterAsking } from '../../components/meanwhile.ts';
import { ErrorPanel } from '../../components/section.tsx';
import { toast } from '../../components/toast.ts';
import { useUnsentCheck } from '../../components/unsent-parts.ts';
import { type ContractForm, useContractForm } from '../../components/use-contract-form.ts';
import { AdvancedFields } from './advanced-fields.tsx';
import { BasicFields } from './basic-fields.tsx';
import { channels, upstreamWait } from './channel-calls.ts';
import { type ChannelDraft, draftOf, endsInVersion, newDraft, wireOf } from './channel-draft.ts';
import { draftFaults } from './draft-problems.ts';
import { schemaOf } from './draft-schema.ts';
import { ModelFields } from './model-fields.tsx';
import { RoutingFields } from './routing-fields.tsx';
import { markRow, noteTest } from './row-notes.ts';
import { specialFieldsOf } from './special-fields.ts';
import { patchRows, refreshRows } from './use-channels.ts';
import { useClosing } from './use-closing.ts';

const BudgetSection = lazyPart(() =>
  import('../../billing/budget-section.tsx').then((module) => ({ default: module.BudgetSection })),
);

export interface ChannelEditorProps {
  /** Undefined for a new channel. */
  readonly id: number | undefined;
  readonly onClose: () => void;
}

/** Refusals that name no field of the form. */
const refusalFields = {
  channel_name_required: 'name',
  channel_key_required: 'key',
  channel_models_required: 'models',
  channel_model_too_long: 'models',
  channel_group_required: 'groups',
  channel_type_unknown: 'type',
  channel_base_url_refused: 'base_url',
  channel_region_required: 'other',
  channel_region_default: 'other',
};

export function ChannelEditor({ id, onClose }: ChannelEditorProps) {
  const { t } = useTranslation(['channel-editor', 'frame']);
  const client = useQueryClient();
  const { pathname } = useLocation();
  const { opened, close } = useClosing(() => {
    // Another channel may have been opened while this one was closing.
    if (window.location.pathname === pathname) onClose();
  });
  const loaded = useSavedChannel(id);
  const [saved, setSaved] = useState<ChannelDraft>();
  const [keyMode, setKeyMode] = useState<'replace' | 'append'>('replace');
  const [isTestFirst, setTestFirst] = useState(false);
  const isNew = id === undefined;
  const schema = useMemo(() => schemaOf<ChannelDraft>((draft) => draftFaults(draft, saved), t), [t, saved]);
  const form = useContractForm<ChannelDraft>({
    schema,
    initial: newDraft,
    refusalFields,
    secrets: ['key'],
    ...(isNew || saved ? { draft: 'channel' } : {}),
    needsChange: !isNew,
  });
  const row = loaded.data?.row;
  // The form was made before the row was there; from here on the row is what it compares with.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the row has come
  useEffect(() => {
    if (!row || saved) return;
    const draft = draftOf(row);
    form.setValues(draft);
    form.settle();
    setSaved(draft);
  }, [row]);

  const readNow = async () => {
    const { data } = await loaded.refetch({ throwOnError: true });
    return data ? draftOf(data.row) : form.getInitialValues();
  };
  const save = (isTested: boolean) =>
    form.submit((values, changed) =>
      send(values, changed, isTested).catch(async (error: unknown) => {
        if (!(error instanceof ApiError) || !error.field) throw error;
        const words = await import('./refusal-words.ts').catch(() => undefined);
        throw (await words?.inFormWords(error, values)) ?? error;
      }),
    );
  const send = async (values: ChannelDraft, changed: Partial<ChannelDraft>, isTested: boolean) => {
    if (changed.base_url !== undefined && endsInVersion(values) && !(await confirmVersion(t))) return;
    const sent = isNew ? values : await afterAsking(form, changed, readNow);
    if (!sent) return;
    const wire = wireOf(sent, form.getValues().type);
    if (isTested) {
      const answer = await channels.testDraft({ channel: wire, channel_id: id ?? null }, upstreamWait);
      if (!answer.success) throw new Error(answer.message);
    }
    if (isNew) await channels.create(wire);
    else {
      const { key: _, ...next } = await channels.update({ id, ...wire, ...(wire.key ? { key_mode: keyMode } : {}) });
      patchRows(client, new Set([id]), next);
      noteTest(id, undefined);
      markRow(id);
    }
    toast.success(t(isNew ? 'created' : 'updated'));
    void refreshRows(client);
    void client.invalidateQueries({ queryKey: ['channels', 'keys'] });
    close();
  };
  const isReady = isNew || saved !== undefined;
  const isUnknown = !isReady && Boolean(loaded.error);
  return (
    <FormDrawer
      opened={opened}
      onClose={close}
      title={isNew ? t('addTitle') : t('editTitle')}
      width={960}
      isDirty={form.isChanged}
      isLoading={!isReady && !loaded.error}
      isReadOnly={isUnknown}
      isSaving={form.isSaving}
      onSubmit={(event) => {
        setTestFirst(false);
        save(false)(event);
      }}
      submitLabel={t('frame:action.submit')}
      error={form.failure}
      footerExtra={
        isReady && (
          <TestFirstButton
            form={form}
            isTesting={form.isSaving && isTestFirst}
            onTest={() => {
              setTestFirst(true);
              save(true)();
            }}
          />
        )
      }
    >
      {isUnknown ? (
        <ErrorPanel error={loaded.error} onRetry={() => void loaded.refetch()} />
      ) : (
        <>
          <BasicFields
            form={form}
            channelId={id}
            isKeyShown={loaded.data?.isKeyShown ?? false}
            keyMode={keyMode}
            onKeyMode={setKeyMode}
          />
          <ModelFields form={form} channelId={id} />
          <RoutingFields form={form} channelId={id} />
          <AdvancedFields form={form} />
          {id !== undefined && (
            <Suspense fallback={null}>
              <BudgetSection on={`channel:${id}`} />
            </Suspense>
          )}
        </>
      )}
    </FormDrawer>
  );
}

/** The row without its keys, which are asked for, proven and audited when somebody wants to see them. */
function useSavedChannel(id: number | undefined) {
  return useQuery({
    queryKey: ['channels', 'one', id],
    queryFn: async ({ signal }) => {
      const { items, keys_hidden } = await channels.list({ ids: `${id}` }, { signal });
      // That a channel is gone is the server's to say.
      const row = items[0] ?? (await channels.get({ id: id ?? 0 }, { signal }));
      return { row, isKeyShown: !keys_hidden };
    },
    enabled: id !== undefined,
    gcTime: 0,
    refetchOnMount: false,
    refetchOnReconnect: false,
  });
}

function TestFirstButton({
  form,
  isTesting,
  onTest,
}: {
  readonly form: ContractForm<ChannelDraft>;
  readonly isTesting: boolean;
  readonly onTest: () => void;
}) {
  const { t } = useTranslation('channel-editor');
  const type = form.useWatchValue('type');
  const check = useUnsentCheck();
  if (specialFieldsOf(type).isUntestable) return null;
  return (
    <Button
      variant="subtle"
      onClick={() => check() && onTest()}
      loading={isTesting}
      disabled={form.isSaving && !isTesting}
    >
      {t('testFirst')}
    </Button>
  );
}

function confirmVersion(t: (key: 'versionTitle' | 'versionText' | 'versionVerb') => string): Promise<boolean> {
  return confirm({ kind: 'plain', title: t('versionTitle'), text: t('versionText'), verb: t('versionVerb') });
}
