/** A dry run of a routing decision (REQ-18): who could serve, with which share, and who is left out and why. */
import type { AbilityView } from '../snapshots/channel-index.ts';
import type { ChannelKeyView, ChannelView } from '../snapshots/channel-view.ts';
import type { Snapshot } from '../snapshots/snapshots.ts';
import { smoothedWeight } from './channel-selection.ts';

export interface RoutingQuestion {
  /** Groups whose channels are tried, in their order: one, or what `auto` stands for. */
  readonly groups: readonly string[];
  /** The client-visible name. */
  readonly model: string;
}

export interface RoutingCandidate {
  readonly channelId: number;
  readonly name: string;
  readonly group: string;
  /** 0 serves first attempts, 1 the first retry, and so on; the last tier serves all later ones. */
  readonly tier: number;
  readonly priority: number;
  readonly weight: number;
  /** Part of its tier's picks under the strategy in force, 0 to 1. */
  readonly share: number;
  readonly usableKeys: number;
}

export type ExclusionReason =
  | 'disabled'
  | 'disabled-automatically'
  | 'other-group'
  | 'model-disabled'
  | 'endpoint'
  | 'no-usable-key'
  | 'budget'
  | 'cooling';

export interface ExcludedChannel {
  readonly channelId: number;
  readonly name: string;
  readonly reason: ExclusionReason;
  /** For `cooling` and `budget`: milliseconds until the first key is free, or the channel has a budget again. */
  readonly freeInMs?: number;
}

export interface RoutingExplanation {
  /** In the order in which attempts would reach them. */
  readonly candidates: readonly RoutingCandidate[];
  /** Channels that offer the model and would not be asked. */
  readonly excluded: readonly ExcludedChannel[];
}

export interface RoutingExplanationDeps {
  /** Can the channel serve the endpoint in question, natively or by conversion. */
  readonly canServe: (channel: ChannelView) => boolean;
  /** Milliseconds until the key may be used for the model; 0 = now. */
  readonly coolingMs: (channelId: number, keyId: number, model: string) => number;
  /** Milliseconds until a limited key has room for another call, as far as is known; 0 = it has. */
  readonly fullMs: (key: ChannelKeyView) => number;
  /** Milliseconds until the channel has a budget again; 0 = it has one, or none is set. */
  readonly spentMs: (channel: ChannelView) => number;
}

/** Explains one decision over one snapshot; calls nobody. */
export function explainRouting(
  question: RoutingQuestion,
  view: Pick<Snapshot, 'channels' | 'options'>,
  deps: RoutingExplanationDeps,
): RoutingExplanation {
  const candidates: RoutingCandidate[] = [];
  /** Once, whatever groups offer a channel: time goes on between two questions. */
  const judged = new Map<number, ExcludedChannel | undefined>();
  for (const group of question.groups) {
    const usable: AbilityView[] = [];
    for (const ability of view.channels.candidates(group, question.model)) {
      const { id } = ability.channel.record;
      if (!judged.has(id)) judged.set(id, exclusionOf(ability.channel, question, deps));
      if (judged.get(id) === undefined) usable.push(ability);
    }
    candidates.push(...inTiers(usable, group, view.options.get('RoutingStrategy')));
  }
  const excluded = [...judged.values()].filter((exclusion) => exclusion !== undefined);
  for (const channel of view.channels.all()) {
    if (judged.has(channel.record.id) || !offersModel(channel, question.model)) continue;
    excluded.push({ channelId: channel.record.id, name: channel.record.name, reason: absenceOf(channel, question) });
  }
  return { candidates, excluded: excluded.sort((a, b) => a.channelId - b.channelId) };
}

function exclusionOf(
  channel: ChannelView,
  question: RoutingQuestion,
  deps: RoutingExplanationDeps,
): ExcludedChannel | undefined {
  const about = { channelId: channel.record.id, name: channel.record.name };
  if (!deps.canServe(channel)) return { ...about, reason: 'endpoint' };
  const enabled = channel.keys.filter((key) => key.status === 1);
  if (enabled.length === 0) return { ...about, reason: 'no-usable-key' };
  const spentMs = deps.spentMs(channel);
  if (spentMs > 0) return { ...about, reason: 'budget', freeInMs: spentMs };
  const freeInMs = Math.min(
    ...enabled.map((key) => Math.max(deps.coolingMs(channel.record.id, key.id, question.model), deps.fullMs(key))),
  );
  return freeInMs > 0 ? { ...about, reason: 'cooling', freeInMs } : undefined;
}

function inTiers(usable: readonly AbilityView[], group: string, strategy: string): RoutingCandidate[] {
  const tiers = new Map<number, { index: number; peers: number; weight: number }>();
  for (const ability of usable) {
    const tier = tiers.get(ability.priority) ?? { index: tiers.size, peers: 0, weight: 0 };
    tier.peers += 1;
    tier.weight += smoothedWeight(ability);
    tiers.set(ability.priority, tier);
  }
  return usable.map((ability) => {
    const tier = tiers.get(ability.priority) ?? { index: 0, peers: 1, weight: 1 };
    return {
      channelId: ability.channel.record.id,
      name: ability.channel.record.name,
      group,
      tier: tier.index,
      priority: ability.priority,
      weight: ability.weight,
      share: strategy === 'weighted' ? smoothedWeight(ability) / tier.weight : 1 / tier.peers,
      usableKeys: ability.channel.keys.filter((key) => key.status === 1).length,
    };
  });
}

function offersModel(channel: ChannelView, model: string): boolean {
  const prefix = channel.record.modelPrefix ?? '';
  return model.startsWith(prefix) && channel.models.includes(model.slice(prefix.length));
}

function absenceOf(channel: ChannelView, { model }: RoutingQuestion): ExclusionReason {
  if (channel.record.status === 3) return 'disabled-automatically';
  if (channel.record.status !== 1) return 'disabled';
  const prefix = channel.record.modelPrefix ?? '';
  return channel.disabledModels.has(model.slice(prefix.length)) ? 'model-disabled' : 'other-group';
}
