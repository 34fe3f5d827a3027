/** When a channel is chosen, and what takes it out of use. */
import { Autocomplete, Switch, TextInput } from '@mantine/core';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/InlineInput.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import '@mantine/core/styles/Switch.css';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { splitCommaList } from '../../../daemon/contract/comma-list.ts';
import type { ContractForm } from '../../components/use-contract-form.ts';
import { channels } from './channel-calls.ts';
import type { ChannelDraft } from './channel-draft.ts';
import classes from './editor.module.css';
import { FormSection } from './form-section.tsx';
import { shareOf } from './traffic-share.ts';
import { offeredTags, useKnownTags } from './use-known-tags.ts';
import { isInteger, lowestPriority } from './whole-number.ts';

export interface RoutingFieldsProps {
  readonly form: ContractForm<ChannelDraft>;
  readonly channelId: number | undefined;
}

export function RoutingFields({ form, channelId }: RoutingFieldsProps) {
  const { t } = useTranslation('channel-editor');
  const tags = useKnownTags();
  const share = useShare(form, channelId);
  return (
    <FormSection title={t('section.routing')}>
      <div className={classes.pair}>
        <TextInput
          inputMode="numeric"
          autoComplete="off"
          key={form.key('priority')}
          {...form.getInputProps('priority')}
          label={t('field.priority')}
          description={t('priorityHelp')}
        />
        <TextInput
          inputMode="numeric"
          autoComplete="off"
          key={form.key('weight')}
          {...form.getInputProps('weight')}
          label={t('field.weight')}
          description={share === undefined ? t('weightHelp') : t('share', { percent: Math.round(share * 1000) / 10 })}
        />
      </div>
      <div className={classes.pair}>
        <Autocomplete
          key={form.key('tag')}
          {...form.getInputProps('tag')}
          label={t('field.tag')}
          data={tags}
          limit={offeredTags}
          maxLength={64}
        />
        <TextInput
          inputMode="numeric"
          autoComplete="off"
          key={form.key('max_input_tokens')}
          {...form.getInputProps('max_input_tokens')}
          label={t('field.maxInput')}
        />
      </div>
      <Switch
        key={form.key('auto_ban')}
        {...form.getInputProps('auto_ban', { type: 'checkbox' })}
        label={t('field.autoBan')}
        description={t('autoBanHelp')}
      />
    </FormSection>
  );
}

/** Part of the calls for its first model in its first group; undefined while that is not known. */
function useShare(form: ContractForm<ChannelDraft>, channelId: number | undefined): number | undefined {
  const [group = ''] = form.useWatchValue('groups');
  const [model] = form.useWatchValue('models');
  const prefix = form.useWatchValue('model_prefix').trim();
  const priority = form.useWatchValue('priority');
  const weight = form.useWatchValue('weight');
  const { data } = useQuery({
    queryKey: ['channels', 'peers', group],
    queryFn: ({ signal }) => channels.list({ status: 'enabled', group, page: 1, page_size: 100 }, { signal }),
    enabled: group !== '',
    staleTime: 60_000,
  });
  if (!data || model === undefined || data.total > data.items.length) return undefined;
  if (!isInteger(priority, lowestPriority) || !isInteger(weight, 0)) return undefined;
  const peers = data.items.filter(
    (peer) => peer.id !== channelId && peer.model_prefix === prefix && splitCommaList(peer.models).includes(model),
  );
  return shareOf({ priority: Number(priority), weight: Number(weight) }, peers);
}
