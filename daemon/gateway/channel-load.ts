/**
 * What channels and their keys are serving on this node: `least_busy` routing reads it, and keys are kept to the tokens
 * a minute and calls at once that they may have (REQ-23). Each node counts for itself.
 */
import { countedSeconds, MinuteSum } from '../cluster/minute-sum.ts';
import type { ChannelPick } from '../domain/channel-selection.ts';
import type { ChannelKeyView } from '../snapshots/channel-view.ts';

/** What one call has drawn from a key. */
interface Drawn {
  readonly keyId: number;
  /** Second that it was drawn from. */
  readonly second: number;
  readonly tokens: number;
}

/** When to look again where nobody can say when a call will end. */
const SOON_MS = 1000;

export class ChannelLoad {
  readonly #now: () => number;
  readonly #running = new Map<number, number>();
  /** Only of keys that are limited. */
  readonly #keys = new Map<number, number>();
  readonly #tokens = new Map<number, MinuteSum>();
  /** By call, until it is known what it has used. */
  readonly #drawn = new WeakMap<object, Drawn>();

  /** @param now milliseconds of a clock that never goes back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** @param expected tokens that the call may come to; asked only where its key is limited by them */
  enter({ channel, key }: ChannelPick, call: object, expected: () => number): void {
    add(this.#running, channel.record.id, 1);
    if (key.concurrency > 0) add(this.#keys, key.id, 1);
    if (key.tpm === 0) return;
    let sum = this.#tokens.get(key.id);
    if (sum === undefined) this.#tokens.set(key.id, (sum = new MinuteSum()));
    const drawn = { keyId: key.id, second: this.#second(), tokens: expected() };
    sum.add(drawn.second, drawn.tokens);
    this.#drawn.set(call, drawn);
  }

  leave({ channel, key }: ChannelPick): void {
    add(this.#running, channel.record.id, -1);
    // A limit that was set or lifted meanwhile: what was not counted is not taken away.
    if (this.#keys.has(key.id)) add(this.#keys, key.id, -1);
  }

  /** Tells what a call has used of the key that was asked last; what was expected is replaced by it. */
  used(call: object, tokens: number): void {
    const drawn = this.#drawn.get(call);
    if (drawn === undefined) return;
    this.#drawn.delete(call);
    const difference = tokens - drawn.tokens;
    // What was too much goes back where it came from; what was more counts from now on.
    this.#tokens.get(drawn.keyId)?.add(difference < 0 ? drawn.second : this.#second(), difference);
  }

  running(channelId: number): number {
    return this.#running.get(channelId) ?? 0;
  }

  /** Milliseconds until a key has room for another call; 0 = it has, or is not limited. */
  busyMs(key: ChannelKeyView): number {
    if (key.concurrency > 0 && (this.#keys.get(key.id) ?? 0) >= key.concurrency) return SOON_MS;
    if (key.tpm === 0) return 0;
    const sum = this.#tokens.get(key.id);
    if (sum === undefined || sum.at(this.#second()) < key.tpm) return 0;
    // A second counts until a whole minute after its end.
    return Math.max(1, (sum.secondThatFrees(key.tpm - 1) + countedSeconds) * 1000 - this.#now());
  }

  #second(): number {
    return Math.floor(this.#now() / 1000);
  }
}

function add(counts: Map<number, number>, id: number, difference: number): void {
  const count = (counts.get(id) ?? 0) + difference;
  if (count <= 0) counts.delete(id);
  else counts.set(id, count);
}
