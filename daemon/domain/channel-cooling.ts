/**
 * Channels and keys that are left alone for a while (relay.md 11.8). Kept in memory, bounded, never stored and never
 * shown as disabled: whatever is lost here only costs one more refused attempt.
 */
import type { OptionsView } from '../contract/options.ts';
import type { Cooling } from '../errors.ts';
import type { ChannelView } from '../snapshots/channel-view.ts';

/** One cooled target; without a key the whole channel cools, without a model every model of the key. */
export interface CooledTarget {
  readonly channelId: number;
  readonly keyId?: number | undefined;
  readonly model?: string | undefined;
}

/** A pause as it is told to other nodes; 0 ms of a whole channel end every pause of it. */
export interface CoolingNews extends CooledTarget {
  readonly forMs: number;
}

/** A pause as the text that travels between nodes. */
export function formatCoolingNews(news: CoolingNews): string {
  return JSON.stringify([news.channelId, news.keyId ?? null, news.model ?? null, news.forMs]);
}

/** Reads a pause that another node told; undefined for anything else. */
export function parseCoolingNews(text: string): CoolingNews | undefined {
  const parts = parseList(text);
  const [channelId, keyId, model, forMs] = parts;
  if (typeof channelId !== 'number' || typeof forMs !== 'number' || !(forMs >= 0)) return undefined;
  if (forMs === 0 && typeof keyId === 'number') return undefined;
  return {
    channelId,
    forMs,
    ...(typeof keyId === 'number' ? { keyId } : {}),
    ...(typeof model === 'string' ? { model } : {}),
  };
}

function parseList(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

export interface ChannelCoolingDeps {
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  readonly options: () => OptionsView;
  /** Tells the other nodes; absent on a single node. */
  readonly share?: (news: CoolingNews) => void;
  readonly maxChannels?: number;
}

/** That many failures of the kind `failure` within the window, without a success between, cool a channel. */
const failuresToCool = 3;
const failureWindowMs = 30_000;
/** So many models of a key may pause at one time. */
const mostModels = 1000;
/** So long after the pauses of a channel were ended, other nodes may still tell of pauses from before. */
const underWayMs = 3000;
const shortestMs = 1000;
const longestMs = 300_000;

interface KeyPause {
  untilMs: number;
  readonly models: Map<string, number>;
}

interface ChannelPause {
  untilMs: number;
  readonly keys: Map<number, KeyPause>;
  /** When the latest countable failures happened. */
  failures: number[];
}

export class ChannelCooling {
  readonly #deps: ChannelCoolingDeps;
  readonly #channels = new Map<number, ChannelPause>();
  /** When the pauses of a channel were ended last, as long as that matters. */
  readonly #ended = new Map<number, number>();
  readonly #maxChannels: number;

  constructor(deps: ChannelCoolingDeps) {
    this.#deps = deps;
    this.#maxChannels = deps.maxChannels ?? 20_000;
  }

  /** Milliseconds until the key may be used for the model; 0 = now. */
  leftMs(channelId: number, keyId: number, model: string, nowMs: number = this.#deps.now()): number {
    const pause = this.#channels.get(channelId);
    if (!pause) return 0;
    const key = pause.keys.get(keyId);
    const untilMs = Math.max(pause.untilMs, key?.untilMs ?? 0, key?.models.get(model) ?? 0);
    return Math.max(0, untilMs - nowMs);
  }

  /** Milliseconds until no pause of the key is left, one of a single model included; 0 = it is not cooling. */
  keyLeftMs(channelId: number, keyId: number): number {
    const pause = this.#channels.get(channelId);
    const key = pause?.keys.get(keyId);
    const untilMs = Math.max(pause?.untilMs ?? 0, key?.untilMs ?? 0, ...(key?.models.values() ?? []));
    return Math.max(0, untilMs - this.#deps.now());
  }

  /** Milliseconds until one of the keys may be used, whatever the model; 0 = now. */
  channelLeftMs(channelId: number, keyIds: readonly number[]): number {
    const pause = this.#channels.get(channelId);
    if (!pause) return 0;
    const soonestMs = keyIds.length === 0 ? 0 : Math.min(...keyIds.map((id) => pause.keys.get(id)?.untilMs ?? 0));
    return Math.max(0, Math.max(pause.untilMs, soonestMs) - this.#deps.now());
  }

  /** Channels with a pause of their own, of a key or of a model of one. */
  pausedChannels(): number[] {
    const nowMs = this.#deps.now();
    return [...this.#channels].filter(([, pause]) => isPaused(pause, nowMs)).map(([id]) => id);
  }

  /** Takes what an adapter asked for after a failure; a single failure of the kind `failure` only counts. */
  cool(target: Required<CooledTarget>, cooling: Cooling): void {
    if (cooling.cause === 'failure' && !this.#isStreak(target.channelId)) return;
    const forMs = Math.min(longestMs, Math.max(shortestMs, cooling.retryAfterMs ?? this.#defaultMs(cooling.cause)));
    const news: CoolingNews = {
      channelId: target.channelId,
      ...(cooling.scope === 'channel' ? {} : { keyId: target.keyId }),
      ...(cooling.scope === 'key-model' ? { model: target.model } : {}),
      forMs,
    };
    this.#pause(news);
    this.#deps.share?.(news);
  }

  /** Takes what another node told. What it says just after an end is older than that, and would last for minutes. */
  learn(news: CoolingNews): void {
    if (news.forMs === 0) this.#end(news.channelId);
    else if (!this.#hasJustEnded(news.channelId)) this.#pause(news);
  }

  /** Pauses never get shorter. */
  #pause(news: CoolingNews): void {
    const nowMs = this.#deps.now();
    const untilMs = nowMs + Math.min(longestMs, news.forMs);
    const pause = this.#pauseOf(news.channelId);
    if (news.keyId === undefined) {
      pause.untilMs = Math.max(pause.untilMs, untilMs);
      return;
    }
    const key = pause.keys.get(news.keyId) ?? { untilMs: 0, models: new Map<string, number>() };
    pause.keys.set(news.keyId, key);
    if (news.model === undefined) {
      key.untilMs = Math.max(key.untilMs, untilMs);
      return;
    }
    // An entry of a channel may stand for any number of names (`gemini-…-thinking-*`), which clients choose.
    if (!key.models.has(news.model)) makeRoom(key.models, mostModels, (until) => until <= nowMs);
    key.models.set(news.model, Math.max(key.models.get(news.model) ?? 0, untilMs));
  }

  /** A success ends the channel's row of failures; pauses that an upstream asked for stay. */
  succeeded(channelId: number): void {
    const pause = this.#channels.get(channelId);
    if (pause && pause.failures.length > 0) pause.failures = [];
  }

  /** Ends every pause of a channel, on all nodes: it was edited, enabled or cleared by hand. */
  clear(channelId: number): void {
    this.#end(channelId);
    this.#deps.share?.({ channelId, forMs: 0 });
  }

  #end(channelId: number): void {
    const nowMs = this.#deps.now();
    this.#channels.delete(channelId);
    makeRoom(this.#ended, this.#maxChannels, (endedMs) => nowMs - endedMs >= underWayMs);
    this.#ended.set(channelId, nowMs);
  }

  #hasJustEnded(channelId: number): boolean {
    const endedMs = this.#ended.get(channelId);
    return endedMs !== undefined && this.#deps.now() - endedMs < underWayMs;
  }

  #isStreak(channelId: number): boolean {
    const pause = this.#pauseOf(channelId);
    const nowMs = this.#deps.now();
    pause.failures = [...pause.failures.filter((atMs) => nowMs - atMs < failureWindowMs), nowMs];
    if (pause.failures.length < failuresToCool) return false;
    pause.failures = [];
    return true;
  }

  #defaultMs(cause: Cooling['cause']): number {
    const options = this.#deps.options();
    if (cause === 'rate-limit') return options.get('CoolRateLimitSeconds') * 1000;
    if (cause === 'overload') return options.get('CoolOverloadSeconds') * 1000;
    return options.get('CoolFailureSeconds') * 1000;
  }

  #pauseOf(channelId: number): ChannelPause {
    const known = this.#channels.get(channelId);
    if (known) return known;
    const nowMs = this.#deps.now();
    makeRoom(this.#channels, this.#maxChannels, (one) => isOver(one, nowMs));
    const pause: ChannelPause = { untilMs: 0, keys: new Map(), failures: [] };
    this.#channels.set(channelId, pause);
    return pause;
  }
}

/** Seconds until a channel may be asked again; 0 = now, and for a channel that is gone. */
export function coolingSeconds(
  cooling: Pick<ChannelCooling, 'channelLeftMs'>,
  channel: Pick<ChannelView, 'record' | 'keys'> | undefined,
): number {
  if (!channel) return 0;
  const usable = channel.keys.filter(({ status }) => status === 1).map(({ id }) => id);
  return Math.ceil(cooling.channelLeftMs(channel.record.id, usable) / 1000);
}

/** For one more: drops what has run out, else what came first. */
function makeRoom<Key, Value>(entries: Map<Key, Value>, most: number, isPast: (value: Value) => boolean): void {
  if (entries.size < most) return;
  for (const [key, value] of entries) if (isPast(value)) entries.delete(key);
  const first = entries.keys().next();
  if (entries.size >= most && !first.done) entries.delete(first.value);
}

function isOver(pause: ChannelPause, nowMs: number): boolean {
  return !isPaused(pause, nowMs) && !pause.failures.some((atMs) => nowMs - atMs < failureWindowMs);
}

function isPaused(pause: ChannelPause, nowMs: number): boolean {
  if (pause.untilMs > nowMs) return true;
  for (const key of pause.keys.values()) {
    if (key.untilMs > nowMs || [...key.models.values()].some((untilMs) => untilMs > nowMs)) return true;
  }
  return false;
}
