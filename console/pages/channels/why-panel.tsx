/** Where a call would go and why, without calling anybody (console.md 6.9 "Why panel"); the question is in the address. */
import { Autocomplete, Button, NumberInput, Select } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/NumberInput.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import '@mantine/core/styles/UnstyledButton.css';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChannelView } from '../../../daemon/contract/channels.ts';
import { splitCommaList } from '../../../daemon/contract/comma-list.ts';
import { useAddress, withMembers } from '../../api/use-address.ts';
import { FormDrawer } from '../../components/form-drawer.tsx';
import { ErrorPanel } from '../../components/section.tsx';
import { channels } from './channel-calls.ts';
import { explainEndpoints, questionOf, questionText, type RoutingQuestion } from './routing-question.ts';
import classes from './tools.module.css';
import { useGroupNames } from './use-channel-filters.ts';
import { useClosing } from './use-closing.ts';
import { WhyAnswer } from './why-answer.tsx';

export interface WhyPanelProps {
  /** Asked about first. */
  readonly channel: ChannelView | undefined;
  readonly onClose: () => void;
}

export function WhyPanel({ channel, onClose }: WhyPanelProps) {
  const { t } = useTranslation(['channel-tools', 'frame']);
  const { opened, close } = useClosing(onClose);
  const groups = useGroupNames();
  const [search, setAddress] = useAddress();
  const asked = questionOf(search.get('explain') ?? '') ?? (channel && firstQuestion(channel));
  const [draft, setDraft] = useState<RoutingQuestion>(
    asked ?? { model: '', group: '', endpoint: '/v1/chat/completions', user_id: '', token_id: '' },
  );
  const { data: models = [] } = useQuery({
    queryKey: ['channels', 'enabled-models'],
    queryFn: ({ signal }) => channels.enabledModels({}, { signal }),
    staleTime: 60_000,
  });
  const answer = useQuery({
    queryKey: ['channels', 'explain', asked],
    queryFn: ({ signal }) =>
      channels.explain(
        {
          model: asked?.model ?? '',
          group: asked?.group || null,
          endpoint: asked?.endpoint || null,
          user_id: asked?.user_id ? Number(asked.user_id) : null,
          token_id: asked?.token_id ? Number(asked.token_id) : null,
        },
        { signal },
      ),
    enabled: asked !== undefined,
    placeholderData: keepPreviousData,
  });
  const set = (change: Partial<RoutingQuestion>) => setDraft((before) => ({ ...before, ...change }));
  const ask = () => {
    if (draft.model.trim() === '') return;
    const text = questionText(draft);
    if (text === search.get('explain')) void answer.refetch();
    else setAddress((now) => withMembers(now, { explain: text }));
  };
  const id = { min: 1, allowDecimal: false, allowNegative: false } as const;
  return (
    <FormDrawer
      opened={opened}
      onClose={close}
      title={t('why.title')}
      width={960}
      isDirty={false}
      isReadOnly
      isSaving={false}
      onSubmit={(event) => event?.preventDefault()}
      submitLabel=""
    >
      <div data-wide="" className={classes.panel}>
        <p className={classes.hint}>{t('why.help')}</p>
        {/* biome-ignore lint/a11y/useSemanticElements: the drawer is the form; this part of it is sent by itself */}
        <div
          role="group"
          aria-label={t('why.question')}
          className={classes.wishes}
          onKeyDown={(event: KeyboardEvent) => {
            if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
            event.preventDefault();
            ask();
          }}
        >
          <Autocomplete
            label={t('test.model')}
            required
            data={models}
            value={draft.model}
            onChange={(model) => set({ model })}
          />
          <Select
            label={t('why.group')}
            data={[...groups]}
            value={draft.group === '' ? null : draft.group}
            onChange={(group) => set({ group: group ?? '' })}
            placeholder={t('why.ownGroup')}
            searchable
            clearable
            clearButtonProps={{ 'aria-label': t('frame:action.clear') }}
          />
          <Select
            label={t('why.endpoint')}
            data={[...explainEndpoints]}
            value={draft.endpoint}
            onChange={(endpoint) => set({ endpoint: endpoint ?? '' })}
          />
          <NumberInput
            {...id}
            label={t('why.user')}
            value={draft.user_id}
            onChange={(value) => set({ user_id: String(value) })}
          />
          <NumberInput
            {...id}
            label={t('why.token')}
            value={draft.token_id}
            onChange={(value) => set({ token_id: String(value) })}
          />
          <div>
            <Button onClick={ask} disabled={draft.model.trim() === ''} loading={answer.isFetching}>
              {t('why.ask')}
            </Button>
          </div>
        </div>
        {answer.error ? (
          <ErrorPanel error={answer.error} onRetry={() => void answer.refetch()} />
        ) : (
          answer.data && <WhyAnswer answer={answer.data} />
        )}
      </div>
    </FormDrawer>
  );
}

function firstQuestion(channel: ChannelView): RoutingQuestion | undefined {
  const [model] = splitCommaList(channel.models);
  const [group = ''] = splitCommaList(channel.group);
  if (model === undefined) return undefined;
  const endpoint = model.startsWith('text-embedding') ? '/v1/embeddings' : '/v1/chat/completions';
  return { model: channel.model_prefix + model, group, endpoint, user_id: '', token_id: '' };
}
