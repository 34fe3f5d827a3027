/**
 * What a key of a channel may be used for (REQ-23, REQ-28): requests and tokens a minute, calls at once, over all nodes
 * whose counters are shared. Routing leaves out a key that is known to be full without asking anybody; only a call that
 * is about to be sent with a limited key draws from the counters, which without Redis answer at once.
 */
import type { Draw, Draws, Soon } from '../cluster/counters.ts';
import type { ChannelKeyView } from '../snapshots/channel-view.ts';
import type { ChannelKeyLimits } from '../store/channel-keys.ts';
import { type KeyUse, KeyUses } from './key-uses.ts';
import type { RateCounters } from './rate-limits.ts';
import { enterAll, type Running } from './running-limits.ts';

/** A key that has limits. */
export type LimitedKey = Pick<ChannelKeyView, 'id'> & { readonly limits: ChannelKeyLimits };

/** The call may be sent with the key. */
export interface KeyPlace {
  readonly fullMs: undefined;
  /** Tells what the call has used so far, all in all; what was expected or told before is replaced by it. */
  used(tokens: number): void;
  /** Tells that the call runs no more. */
  left(): void;
  /** Tells that nothing was sent with the key after all: it is as if nobody had asked for a place. */
  passedOver(): void;
}

/** The key has no room for the call; nothing was drawn. */
export interface KeyRefusal {
  /** Milliseconds until it may have. */
  readonly fullMs: number;
}

export interface KeyLimitsDeps {
  readonly counters: RateCounters;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** Tells the other nodes what keys were used for; absent where they share the counters. Must not throw. */
  readonly tell?: ((uses: readonly KeyUse[]) => void) | undefined;
}

/** A key is full by one of its limits. */
interface Full {
  /** When it has room again, as far as is known. */
  readonly untilMs: number;
  /** When to ask the counters again: room may come back sooner, and on another node. */
  readonly askMs: number;
}

/** When to look again where nobody can say when a call will end. */
const SOON_MS = 1000;
/** How long it is believed that a key is full whose calls end, or are corrected, on other nodes. */
const BELIEVED_MS = 250;

export class KeyLimits {
  readonly #counters: KeyLimitsDeps['counters'];
  readonly #now: () => number;
  readonly #uses: KeyUses | undefined;
  /** By the limits of a key as they were loaded: what is known of them goes with them. */
  readonly #full = new WeakMap<ChannelKeyLimits, Map<keyof ChannelKeyLimits, Full>>();

  constructor({ counters, now, tell }: KeyLimitsDeps) {
    this.#counters = counters;
    this.#now = now;
    this.#uses = tell && new KeyUses(tell);
  }

  /** Milliseconds until a key has room, as far as this node knows; 0 = it has, or is not limited. Waits for nobody. */
  fullMs({ limits }: Pick<ChannelKeyView, 'limits'>): number {
    if (limits === undefined) return 0;
    const known = this.#full.get(limits);
    if (known === undefined) return 0;
    const nowMs = this.#now();
    let longestMs = 0;
    for (const { untilMs, askMs } of known.values()) {
      if (askMs > nowMs) longestMs = Math.max(longestMs, untilMs - nowMs);
    }
    return longestMs;
  }

  /**
   * Takes a place for one call: among those that run, and in the minute's requests and tokens. A promise only where
   * counters are shared.
   * @param expect tokens of prompt and answer; asked only where tokens are limited
   */
  take(
    key: LimitedKey,
    expect: () => { readonly prompt: number; readonly answer: number },
  ): Soon<KeyPlace | KeyRefusal> {
    const { concurrency } = key.limits;
    if (concurrency === 0) return this.#draw(key, expect, noPlaces);
    const entering = enterAll(this.#counters, [{ key: `rate:run:channel-key:${key.id}`, limit: concurrency }]);
    const drawn = (running: Running<{ key: string; limit: number }>): Soon<KeyPlace | KeyRefusal> => {
      if (running.refused === undefined) return this.#draw(key, expect, running.leave);
      this.#note(key, 'concurrency', SOON_MS, BELIEVED_MS);
      return { fullMs: SOON_MS };
    };
    return entering instanceof Promise ? entering.then(drawn) : drawn(entering);
  }

  /** Other nodes, which do not share the counters, have used keys. */
  learn(uses: readonly KeyUse[]): void {
    for (const { id, requests, tokens } of uses) {
      if (requests > 0) this.#correct(nowhere, [{ key: requestsOf(id), difference: requests }]);
      if (tokens > 0) this.#correct(nowhere, [{ key: tokensOf(id), difference: tokens }]);
    }
  }

  #draw(
    key: LimitedKey,
    expect: () => { readonly prompt: number; readonly answer: number },
    leave: () => void,
  ): Soon<KeyPlace | KeyRefusal> {
    const draws = drawsOf(key, expect);
    if (draws.length === 0) return this.#placeOf(key, { leave, drawn: undefined });
    const drawing = this.#counters.draw(draws.map(({ draw }) => draw));
    if (drawing instanceof Promise) return drawing.then((drawn) => this.#judge(key, { draws, drawn, leave }));
    return this.#judge(key, { draws, drawn: drawing, leave });
  }

  #judge(
    key: LimitedKey,
    { draws, drawn, leave }: { draws: readonly KindOfDraw[]; drawn: Draws; leave: () => void },
  ): KeyPlace | KeyRefusal {
    let fullMs = 0;
    draws.forEach(({ kind }, at) => {
      const slot = drawn.slots[at];
      if (slot === undefined) return;
      if (!slot.allowed) fullMs = Math.max(1, fullMs, slot.resetMs);
      // A prompt that is too large for what is left says nothing of smaller ones.
      if (slot.remaining === 0) this.#note(key, kind, slot.resetMs, kind === 'cap' ? slot.resetMs : BELIEVED_MS);
    });
    if (fullMs === 0) return this.#placeOf(key, { leave, drawn: { draws, ...drawn } });
    leave();
    return { fullMs };
  }

  #placeOf(
    key: LimitedKey,
    { leave, drawn }: { leave: () => void; drawn: (Draws & { readonly draws: readonly KindOfDraw[] }) | undefined },
  ): KeyPlace {
    const { id, limits } = key;
    const slotOf = (kind: KindOfDraw['kind']) => drawn?.slots[drawn.draws.findIndex((draw) => draw.kind === kind)];
    let counted = slotOf('tpm')?.drawn;
    let told = 0;
    const place: KeyPlace = {
      fullMs: undefined,
      used: (tokens) => {
        if (drawn === undefined || counted === undefined) return;
        if (tokens !== counted) this.#correct(drawn.place, [{ key: tokensOf(id), difference: tokens - counted }]);
        if (tokens < counted) this.#full.get(limits)?.delete('tpm');
        counted = tokens;
        // Others are told what is certain: what was expected may come to nothing.
        if (tokens > told) this.#uses?.note({ id, requests: 0, tokens: tokens - told });
        told = Math.max(told, tokens);
      },
      left: () => {
        leave();
        this.#full.get(limits)?.delete('concurrency');
      },
      passedOver: () => {
        place.left();
        place.used(0);
        if (drawn === undefined || limits.cap === 0) return;
        this.#correct(drawn.place, [{ key: requestsOf(id), difference: -1 }]);
        this.#full.get(limits)?.delete('cap');
        this.#uses?.note({ id, requests: -1, tokens: 0 });
      },
    };
    if (limits.cap > 0) this.#uses?.note({ id, requests: 1, tokens: 0 });
    return place;
  }

  #note({ limits }: LimitedKey, kind: keyof ChannelKeyLimits, fullMs: number, believedMs: number): void {
    const nowMs = this.#now();
    let known = this.#full.get(limits);
    if (known === undefined) this.#full.set(limits, (known = new Map()));
    known.set(kind, { untilMs: nowMs + fullMs, askMs: nowMs + Math.min(fullMs, believedMs) });
  }

  #correct(place: string, differences: readonly { readonly key: string; readonly difference: number }[]): void {
    // Counters never reject, and nobody needs to wait for this.
    void this.#counters.correct(place, differences);
  }
}

/** What other nodes have used is only added, to the second in which it is heard of. */
const nowhere = '0';

interface KindOfDraw {
  readonly kind: 'cap' | 'tpm';
  readonly draw: Draw;
}

function drawsOf(
  { id, limits }: LimitedKey,
  expect: () => { readonly prompt: number; readonly answer: number },
): KindOfDraw[] {
  const draws: KindOfDraw[] = [];
  if (limits.cap > 0) draws.push({ kind: 'cap', draw: { key: requestsOf(id), limit: limits.cap, amount: 1 } });
  if (limits.tpm > 0) {
    const { prompt, answer } = expect();
    // A prompt that is larger than the limit is sent in a minute that is empty: whether it is too large is the upstream's to say.
    const amount = Math.min(Math.max(1, prompt), limits.tpm);
    draws.push({ kind: 'tpm', draw: { key: tokensOf(id), limit: limits.tpm, amount, more: answer } });
  }
  return draws;
}

function requestsOf(keyId: number): string {
  return `rate:rpm:channel-key:${keyId}`;
}

function tokensOf(keyId: number): string {
  return `rate:tpm:channel-key:${keyId}`;
}

function noPlaces(): void {}
