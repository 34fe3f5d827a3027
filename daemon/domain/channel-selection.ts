/**
 * Which channel and key serve the next attempt (relay.md 11.3, 12.9). Pure: the gateway calls it for every attempt,
 * the routing explanation for its dry run, so both always agree.
 */
import type { OptionValue } from '../contract/options.ts';
import type { AbilityView } from '../snapshots/channel-index.ts';
import type { ChannelKeyView, ChannelView } from '../snapshots/channel-view.ts';

export type RoutingStrategy = OptionValue<'RoutingStrategy'>;

/** A channel and the key to use with it. */
export interface ChannelPick {
  readonly channel: ChannelView;
  readonly key: ChannelKeyView;
}

/** Channel id -> ids of its keys that this request has tried. */
export type TriedKeys = ReadonlyMap<number, ReadonlySet<number>>;

export interface Selection {
  /** Enabled and able to serve the endpoint; ordered by priority descending, then id ascending. */
  readonly candidates: readonly AbilityView[];
  readonly tried: TriedKeys;
  readonly strategy: RoutingStrategy;
  /** 0 for the first attempt; every retry goes one tier down and stays on the last. */
  readonly attempt: number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** False for a key that must be left out, because it or its channel is cooling. Disabled keys never get here. */
  readonly isUsable: (channel: ChannelView, key: ChannelKeyView) => boolean;
  /** Counters for round robin and for polling keys; without them the draw decides. */
  readonly turns?: Turns;
  /** Requests of the cluster that a channel is serving now, for `least_busy`. */
  readonly running?: (channelId: number) => number;
}

/** Hands out 0, 1, 2, ... for each name. */
export interface Turns {
  next(name: string): number;
}

/** What relay.md 11.3 adds to every weight; admins tuned their weights with it (D28). */
const weightSmoothing = 10;

/** The weight that the draw uses. */
export function smoothedWeight(ability: AbilityView): number {
  return Math.max(0, ability.weight) + weightSmoothing;
}

/** Candidates up to which each is asked whether it can be used: of fewer a draw that is in vain saves nothing. */
const fewCandidates = 16;

/** The next pick, or undefined when every usable channel and key has been tried or none is usable. */
export function selectChannel(selection: Selection): ChannelPick | undefined {
  const { candidates, attempt, tried, strategy } = selection;
  const isFirst = attempt === 0 && tried.size === 0;
  const isDrawn = isFirst && strategy === 'weighted' && candidates.length > fewCandidates;
  return (isDrawn ? drawAtOnce(selection) : undefined) ?? selectUsable(selection);
}

/**
 * Draws among all of the highest tier, usable or not, as nearly all are. Undefined where the draw met one that is not:
 * then a new one among those that are leaves their shares to each other as they were.
 */
function drawAtOnce(selection: Selection): ChannelPick | undefined {
  const { candidates, random } = selection;
  const sums = weightSums(candidates);
  const place = Math.floor(random() * (sums[sums.length - 1] ?? 0));
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] ?? 0) > place) high = middle;
    else low = middle + 1;
  }
  const ability = candidates[low];
  const key = ability && pickKey(ability.channel, selection);
  return ability && key && { channel: ability.channel, key };
}

/** By list of candidates, which stays the same as long as nobody edits a channel. */
const knownSums = new WeakMap<readonly AbilityView[], Float64Array>();

/** What the weights of the highest tier add up to, one behind the other. */
function weightSums(candidates: readonly AbilityView[]): Float64Array {
  let sums = knownSums.get(candidates);
  if (sums === undefined) {
    const highest = candidates[0]?.priority;
    const tier = candidates.filter(({ priority }) => priority === highest);
    let sum = 0;
    sums = Float64Array.from(tier, (ability) => {
      sum += smoothedWeight(ability);
      return sum;
    });
    knownSums.set(candidates, sums);
  }
  return sums;
}

function selectUsable(selection: Selection): ChannelPick | undefined {
  const tiers = usableTiers(selection);
  if (tiers.length === 0) return undefined;
  const start = Math.min(selection.attempt, tiers.length - 1);
  const order = [...tiers.slice(start), ...tiers.slice(0, start)];
  for (const tier of order) {
    const fresh = tier.filter((ability) => !selection.tried.has(ability.channel.record.id));
    if (fresh.length > 0) return pickIn(fresh, selection);
  }
  // Channels already tried come last, and only with a key that was not.
  for (const tier of tiers) {
    const again = tier.filter((ability) => usableKeys(ability.channel, selection).length > 0);
    if (again.length > 0) return pickIn(again, selection);
  }
  return undefined;
}

/** Everything cools: the untried pick that is free soonest, with the milliseconds until then (relay.md 11.8). */
export function selectSoonestFree(
  candidates: readonly AbilityView[],
  tried: TriedKeys,
  coolingMs: (channel: ChannelView, key: ChannelKeyView) => number,
): { readonly pick: ChannelPick; readonly freeInMs: number } | undefined {
  let best: { pick: ChannelPick; freeInMs: number } | undefined;
  for (const { channel } of candidates) {
    for (const key of channel.keys) {
      if (key.status !== 1 || tried.get(channel.record.id)?.has(key.id)) continue;
      const freeInMs = coolingMs(channel, key);
      if (!best || freeInMs < best.freeInMs) best = { pick: { channel, key }, freeInMs };
    }
  }
  return best;
}

/** Time goes on between two questions: a key of two groups would be free sooner in the one that is looked at last. */
export function askedOnce(
  waitMs: (channel: ChannelView, key: ChannelKeyView) => number,
): (channel: ChannelView, key: ChannelKeyView) => number {
  const waits = new Map<number, number>();
  return (channel, key) => {
    const wait = waits.get(key.id) ?? waitMs(channel, key);
    waits.set(key.id, wait);
    return wait;
  };
}

/**
 * Candidates with a usable key, grouped by priority, highest first. A tried channel stays in its tier, though its
 * failure may have cooled it, so that the tier of an attempt does not move while a request retries.
 */
function usableTiers(selection: Selection): AbilityView[][] {
  const tiers: AbilityView[][] = [];
  let priority: number | undefined;
  for (const ability of selection.candidates) {
    const isTried = selection.tried.has(ability.channel.record.id);
    if (!isTried && !hasUsableKey(ability.channel, selection)) continue;
    if (ability.priority !== priority) {
      tiers.push([]);
      priority = ability.priority;
    }
    tiers[tiers.length - 1]?.push(ability);
  }
  return tiers;
}

function hasUsableKey(channel: ChannelView, selection: Selection): boolean {
  return channel.keys.some((key) => key.status === 1 && selection.isUsable(channel, key));
}

function usableKeys(channel: ChannelView, selection: Selection): ChannelKeyView[] {
  const tried = selection.tried.get(channel.record.id);
  return channel.keys.filter((key) => key.status === 1 && !tried?.has(key.id) && selection.isUsable(channel, key));
}

/** Draws in one tier; the abilities stand in id order, as the walk of relay.md 11.3 wants them. */
function pickIn(abilities: readonly AbilityView[], selection: Selection): ChannelPick | undefined {
  const ability = pickAbility(abilities, selection);
  const key = ability && pickKey(ability.channel, selection);
  return ability && key ? { channel: ability.channel, key } : undefined;
}

function pickAbility(abilities: readonly AbilityView[], selection: Selection): AbilityView | undefined {
  if (selection.strategy === 'round_robin' && selection.turns) {
    return abilities[selection.turns.next(turnName(abilities)) % abilities.length];
  }
  if (selection.strategy === 'least_busy' && selection.running) {
    return drawByWeight(leastBusy(abilities, selection.running), selection.random);
  }
  return drawByWeight(abilities, selection.random);
}

/** Channels that compete with each other share one counter, whatever model brought them together. */
function turnName(abilities: readonly AbilityView[]): string {
  const first = abilities[0]?.channel.record.id ?? 0;
  const last = abilities[abilities.length - 1]?.channel.record.id ?? 0;
  return `channels:${first}:${last}:${abilities.length}`;
}

function leastBusy(abilities: readonly AbilityView[], running: (channelId: number) => number): AbilityView[] {
  let fewest = Number.POSITIVE_INFINITY;
  let chosen: AbilityView[] = [];
  for (const ability of abilities) {
    const count = running(ability.channel.record.id);
    if (count > fewest) continue;
    if (count < fewest) chosen = [];
    fewest = count;
    chosen.push(ability);
  }
  return chosen;
}

function drawByWeight(abilities: readonly AbilityView[], random: () => number): AbilityView | undefined {
  let sum = 0;
  for (const ability of abilities) sum += smoothedWeight(ability);
  let rest = Math.floor(random() * sum);
  for (const ability of abilities) {
    rest -= smoothedWeight(ability);
    if (rest < 0) return ability;
  }
  return abilities[abilities.length - 1];
}

function pickKey(channel: ChannelView, selection: Selection): ChannelKeyView | undefined {
  const keys = usableKeys(channel, selection);
  if (keys.length <= 1) return keys[0];
  if (channel.setting.multi_key_mode === 'random' || !selection.turns) {
    return keys[Math.floor(selection.random() * keys.length)];
  }
  // The name holds the keys themselves, so the polling starts anew when they are edited.
  const name = `keys:${channel.record.id}:${channel.keys.map((key) => key.id).join(',')}`;
  return keys[selection.turns.next(name) % keys.length];
}

/** Counters kept in this process; the oldest name is forgotten when there are too many. */
export class ProcessTurns implements Turns {
  readonly #counters = new Map<string, number>();
  readonly #maxNames: number;

  constructor(maxNames = 100_000) {
    this.#maxNames = maxNames;
  }

  next(name: string): number {
    const turn = this.#counters.get(name) ?? 0;
    this.#counters.set(name, turn >= Number.MAX_SAFE_INTEGER ? 0 : turn + 1);
    if (this.#counters.size > this.#maxNames) {
      const oldest = this.#counters.keys().next();
      if (!oldest.done) this.#counters.delete(oldest.value);
    }
    return turn;
  }
}
