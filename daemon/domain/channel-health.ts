/**
 * What attempts teach about channels: pauses at once (relay.md 11.8), disabling after a hard sign or enough soft ones
 * (12.8). Everything a request calls is synchronous; rows are written behind it.
 */
import type { OptionsView } from '../contract/options.ts';
import type { UpstreamFailure } from '../errors.ts';
import type { Database } from '../store/database.ts';
import type { ChannelCooling } from './channel-cooling.ts';
import type { ChannelPick } from './channel-selection.ts';
import type { ChannelSwitch } from './channel-switch.ts';
import { healthSignalOf } from './failure-signal.ts';

export interface ChannelHealthDeps {
  readonly options: () => OptionsView;
  readonly cooling: ChannelCooling;
  readonly channelSwitch: Pick<ChannelSwitch, 'disable'>;
  readonly database: Database;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** Unix seconds. */
  readonly nowSeconds: () => number;
  /** Told when a row could not be written; the next failure tries again. */
  readonly report: (error: unknown) => void;
}

/** One failed attempt. */
export interface FailedAttempt {
  readonly requestId: string;
  /** Name that was routed by. */
  readonly model: string;
  /** `spared` for the pinned and playground calls of admins, which never disable anything. */
  readonly disabling: 'allowed' | 'spared';
}

/** What is known about a key since the last write. */
interface KeyUse {
  lastUsed: number;
  lastError: string | undefined;
}

const maxFollowedKeys = 100_000;
const longestError = 500;

export class ChannelHealth {
  readonly #deps: ChannelHealthDeps;
  /** Key id -> moments of its soft failures since its last success, oldest first. */
  readonly #soft = new Map<number, number[]>();
  readonly #uses = new Map<number, KeyUse>();
  readonly #disabling = new Set<number>();
  readonly #writes = new Set<Promise<void>>();

  constructor(deps: ChannelHealthDeps) {
    this.#deps = deps;
  }

  /** Milliseconds until the key may be used for the model; 0 = now. */
  isCooling(channelId: number, keyId: number, model: string, nowMs?: number): number {
    return this.#deps.cooling.leftMs(channelId, keyId, model, nowMs);
  }

  /** The pick answered: its row of failures ends. */
  succeeded(pick: ChannelPick): void {
    this.#soft.delete(pick.key.id);
    this.#deps.cooling.succeeded(pick.channel.record.id);
    this.#noteUse(pick.key.id, undefined);
  }

  /** The pick failed: cools it and, when the failures say so, disables its key or channel behind the request. */
  failed(pick: ChannelPick, failure: UpstreamFailure, attempt: FailedAttempt): void {
    const { fields } = failure;
    const target = { channelId: pick.channel.record.id, keyId: pick.key.id, model: attempt.model };
    if (fields.cooling) this.#deps.cooling.cool(target, fields.cooling);
    this.#noteUse(pick.key.id, fields.operatorText);
    const options = this.#deps.options();
    const signal = healthSignalOf(fields, options);
    if (signal === 'none') return;
    const isEnough = signal === 'hard' || this.#countSoft(pick.key.id, options);
    if (isEnough && this.#mayDisable(pick, attempt, options)) this.#disable(pick, failure, attempt);
  }

  /** Writes last use and last error of the keys that were used since; called every few seconds. */
  async flush(): Promise<void> {
    if (this.#uses.size === 0) return;
    const uses = [...this.#uses].map(([id, use]) => ({ id, ...use }));
    this.#uses.clear();
    await this.#deps.database.transaction((stores) => stores.channelKeys.recordUse(uses));
  }

  /** Resolves when every row under way is written; for shutdown. */
  async drain(): Promise<void> {
    await Promise.all(this.#writes);
    await this.flush();
  }

  /** Counts a soft failure; true when there are enough of them in the window. */
  #countSoft(keyId: number, options: OptionsView): boolean {
    const nowMs = this.#deps.now();
    const windowMs = options.get('AutomaticDisableWindowSeconds') * 1000;
    const needed = options.get('AutomaticDisableFailures');
    const earlier = (this.#soft.get(keyId) ?? []).filter((atMs) => nowMs - atMs < windowMs);
    const recent = [...earlier, nowMs].slice(-needed);
    this.#soft.delete(keyId);
    this.#soft.set(keyId, recent);
    forgetOldest(this.#soft);
    return recent.length >= needed;
  }

  #mayDisable(pick: ChannelPick, attempt: FailedAttempt, options: OptionsView): boolean {
    return (
      options.get('AutomaticDisableChannelEnabled') &&
      pick.channel.record.autoBan !== 0 &&
      attempt.disabling === 'allowed' &&
      !this.#disabling.has(pick.key.id)
    );
  }

  #disable(pick: ChannelPick, failure: UpstreamFailure, attempt: FailedAttempt): void {
    this.#disabling.add(pick.key.id);
    const write = this.#deps.channelSwitch
      .disable({
        channelId: pick.channel.record.id,
        keyId: pick.key.id,
        reason: failure.fields.operatorText,
        requestId: attempt.requestId,
      })
      .then(() => undefined, this.#deps.report)
      .finally(() => {
        this.#disabling.delete(pick.key.id);
        this.#soft.delete(pick.key.id);
        this.#writes.delete(write);
      });
    this.#writes.add(write);
  }

  #noteUse(keyId: number, error: string | undefined): void {
    const use = this.#uses.get(keyId) ?? { lastUsed: 0, lastError: undefined };
    use.lastUsed = this.#deps.nowSeconds();
    if (error !== undefined) use.lastError = error.slice(0, longestError);
    this.#uses.set(keyId, use);
    forgetOldest(this.#uses);
  }
}

function forgetOldest<V>(map: Map<number, V>): void {
  if (map.size <= maxFollowedKeys) return;
  const oldest = map.keys().next();
  if (!oldest.done) map.delete(oldest.value);
}
