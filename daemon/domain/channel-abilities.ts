/** The abilities that a channel row implies (management-api.md 4.4); every channel write stores them with the row. */
import { splitCommaList } from '../contract/comma-list.ts';
import { disabledModelsOf } from '../snapshots/channel-view.ts';
import type { AbilityRecord } from '../store/abilities.ts';
import type { ChannelRecord } from '../store/channels.ts';

/** The columns of a channel that its abilities are made of. */
export const abilityColumns = [
  'models',
  'group',
  'modelPrefix',
  'status',
  'priority',
  'weight',
  'tag',
  'setting',
] as const;

/** One row for every group and model of the channel, under the client-visible name. */
export function abilitiesOf(channel: Pick<ChannelRecord, 'id' | (typeof abilityColumns)[number]>): AbilityRecord[] {
  const prefix = channel.modelPrefix ?? '';
  const models = splitCommaList(channel.models);
  const disabled = disabledModelsOf(channel);
  return splitCommaList(channel.group).flatMap((group) =>
    models.map((model) => ({
      group,
      model: prefix + model,
      channelId: channel.id,
      enabled: channel.status === 1 && !disabled.has(model),
      priority: channel.priority ?? 0,
      weight: channel.weight ?? 0,
      tag: channel.tag,
    })),
  );
}
