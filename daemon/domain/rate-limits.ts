/**
 * Requests and tokens per minute, and calls at once, by key, user, group and model (REQ-23, relay.md 17.5). Tokens are
 * drawn as estimated before the call and corrected when it is known what it used.
 */
import type { Counters, Draw, Drawn, Soon } from '../cluster/counters.ts';
import type { OptionsView } from '../contract/options.ts';
import type { RateLimit, RateLimitTable } from '../contract/rate-limits.ts';
import { TollgateError } from '../errors.ts';
import { autoGroup } from './groups.ts';
import { enterAll, type Running, type RunningCounters, type RunningLimit } from './running-limits.ts';

/** Who asks for what. */
export interface RatedCall {
  /** Undefined for the playground, which has no key. */
  readonly token: RatedToken | undefined;
  readonly user: { readonly id: number; readonly username: string };
  /** The group of the key or account; of `auto`, which stands for several, the entry of its own name alone holds. */
  readonly group: string;
  /** As the client wrote it. */
  readonly model: string;
  readonly options: OptionsView;
  /** Tokens that are expected of prompt and answer; asked only where tokens are limited. */
  readonly estimate: () => { readonly prompt: number; readonly answer: number };
}

/** The limits of a key's own; 0 = none. */
export interface RatedToken {
  readonly id: number;
  readonly rpmLimit: number;
  readonly tpmLimit: number;
  readonly concurrencyLimit: number;
}

/** What is left of the tightest limit of a kind. */
export interface Headroom {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until a part of it comes back, or until there is room again. */
  readonly resetSeconds: number;
}

/** The tightest limits of a call; undefined where none of that kind holds. */
export interface Headrooms {
  readonly requests: Headroom | undefined;
  readonly tokens: Headroom | undefined;
}

/** The call may go on. */
export interface RatePlace extends Headrooms {
  readonly refusal: undefined;
  /** Tells what the call has used so far, all in all; what was estimated or told before is replaced by it. */
  used(tokens: number): void;
  /** Tells that something else refused the call, which does not count then: all that was drawn goes back. Once. */
  refused(): void;
  /** Tells that the call runs no more. */
  left(): void;
}

/** The call must not go on; nothing was drawn. */
export interface RateRefusal extends Headrooms {
  /** `rate_limited:<whose>_rpm`, `_tpm` or `_concurrency`, with its retry time. */
  readonly refusal: TollgateError;
}

type Subject = 'token' | 'user' | 'group' | 'model';

interface Limit extends Draw {
  readonly subject: Subject;
  readonly kind: 'rpm' | 'tpm';
  readonly name: string;
}

interface AtOnce extends RunningLimit {
  readonly subject: Subject;
  readonly kind: 'concurrency';
  readonly name: string;
}

/** When to try again where nobody can say when a call will end. */
const SOON_MS = 1000;

/** What limits by the minute are counted by. */
export type RateCounters = Pick<Counters, 'draw' | 'correct'> & RunningCounters;

export class RateLimits {
  readonly #counters: RateCounters;
  /** The table of the options seen last; undefined where it limits nothing. */
  #table: RateLimitTable | undefined;
  #tableOf: OptionsView | undefined;

  constructor(deps: { readonly counters: RateCounters }) {
    this.#counters = deps.counters;
  }

  /** True when any limit may hold for such a call: all that a call costs where none is set. */
  mayHold(options: OptionsView, token: RatedToken | undefined): boolean {
    if (options !== this.#tableOf) this.#read(options);
    if (this.#table !== undefined) return true;
    return token !== undefined && token.rpmLimit + token.tpmLimit + token.concurrencyLimit > 0;
  }

  /**
   * Takes a place among the calls that run, then draws one request and the estimated tokens; undefined when no limit
   * holds. Answers at once without Redis.
   */
  take(call: RatedCall): Soon<RatePlace | RateRefusal | undefined> {
    if (!this.mayHold(call.options, call.token)) return undefined;
    return this.#take(limitsOf(call, this.#table ?? {}));
  }

  /** As `take`, from the limits of one of the groups that a key of `auto` stands for. */
  takeGroup(call: Pick<RatedCall, 'group' | 'options' | 'estimate'>): Soon<RatePlace | RateRefusal | undefined> {
    if (!this.mayHold(call.options, undefined)) return undefined;
    const found = new FoundLimits(call.estimate);
    found.add('group', call.group, entryOf(this.#table?.group, call.group), call.group);
    return this.#take(found);
  }

  #take({ limits, atOnce }: FoundLimits): Soon<RatePlace | RateRefusal | undefined> {
    if (atOnce.length === 0) return this.#draw(limits);
    const entering = enterAll(this.#counters, atOnce);
    if (entering instanceof Promise) return entering.then((running) => this.#drawWhile(running, limits));
    return this.#drawWhile(entering, limits);
  }

  #drawWhile(running: Running<AtOnce>, limits: readonly Limit[]): Soon<RatePlace | RateRefusal> {
    const { refused, leave } = running;
    if (refused !== undefined) {
      return { requests: undefined, tokens: undefined, refusal: refusalOf(refused, { resetMs: SOON_MS }) };
    }
    const judged = (place: RatePlace | RateRefusal | undefined): RatePlace | RateRefusal => {
      if (place === undefined) return { ...nothingDrawn, left: leave };
      if (place.refusal === undefined) return { ...place, left: leave };
      leave();
      return place;
    };
    const drawing = this.#draw(limits);
    return drawing instanceof Promise ? drawing.then(judged) : judged(drawing);
  }

  #draw(limits: readonly Limit[]): Soon<RatePlace | RateRefusal | undefined> {
    if (limits.length === 0) return undefined;
    const drawing = this.#counters.draw(limits);
    if (drawing instanceof Promise) return drawing.then(({ slots, place }) => this.#judge(limits, slots, place));
    return this.#judge(limits, drawing.slots, drawing.place);
  }

  #read(options: OptionsView): void {
    const table = options.get('RateLimits');
    this.#tableOf = options;
    this.#table = Object.values(table).some((entries) => Object.keys(entries ?? {}).length > 0) ? table : undefined;
  }

  #judge(limits: readonly Limit[], slots: readonly Drawn[], place: string): RatePlace | RateRefusal {
    const rooms = { requests: tightest(limits, slots, 'rpm'), tokens: tightest(limits, slots, 'tpm') };
    const refused = limits.findIndex((_, at) => slots[at]?.allowed === false);
    const [limit, slot] = [limits[refused], slots[refused]];
    if (limit !== undefined && slot !== undefined) return { ...rooms, refusal: refusalOf(limit, slot) };
    const drawn = limits.flatMap(({ kind, key }, at) => (kind === 'tpm' ? [{ key, told: slots[at]?.drawn ?? 0 }] : []));
    const correct = (differences: readonly { readonly key: string; readonly difference: number }[]) => {
      const wrong = differences.filter(({ difference }) => difference !== 0);
      // Counters never reject, and nobody needs to wait for this.
      if (wrong.length > 0) void this.#counters.correct(place, wrong);
    };
    const differencesTo = (tokens: number) => {
      const differences = drawn.map(({ key, told }) => ({ key, difference: tokens - told }));
      for (const each of drawn) each.told = tokens;
      return differences;
    };
    return {
      ...rooms,
      refusal: undefined,
      used: (tokens) => correct(differencesTo(tokens)),
      refused: () => {
        const requests = limits.filter(({ kind }) => kind === 'rpm').map(({ key }) => ({ key, difference: -1 }));
        correct([...requests, ...differencesTo(0)]);
      },
      left: nothing,
    };
  }
}

function nothing(): void {}

const nothingDrawn = {
  requests: undefined,
  tokens: undefined,
  refusal: undefined,
  used: nothing,
  refused: nothing,
} as const;

/** Limits that hold for a call, in the order in which refusals are told. */
class FoundLimits {
  readonly limits: Limit[] = [];
  readonly atOnce: AtOnce[] = [];
  readonly #estimate: RatedCall['estimate'];
  #estimated: ReturnType<RatedCall['estimate']> | undefined;

  constructor(estimate: RatedCall['estimate']) {
    this.#estimate = estimate;
  }

  add(subject: Subject, id: string | number, limit: RateLimit | undefined, name = ''): void {
    if (limit === undefined) return;
    const { rpm = 0, tpm = 0, concurrency = 0 } = limit;
    if (concurrency > 0) {
      const key = `rate:run:${subject}:${id}`;
      this.atOnce.push({ subject, kind: 'concurrency', name, key, limit: concurrency });
    }
    if (rpm > 0) {
      this.limits.push({ subject, kind: 'rpm', name, key: `rate:rpm:${subject}:${id}`, limit: rpm, amount: 1 });
    }
    if (tpm <= 0) return;
    this.#estimated ??= this.#estimate();
    const { prompt, answer } = this.#estimated;
    // Room for the prompt is asked for, a token at least; of the answer only as much is drawn as there is.
    const key = `rate:tpm:${subject}:${id}`;
    this.limits.push({ subject, kind: 'tpm', name, key, limit: tpm, amount: Math.max(1, prompt), more: answer });
  }
}

function limitsOf(call: RatedCall, table: RateLimitTable): FoundLimits {
  const { token, user, group, model } = call;
  const found = new FoundLimits(call.estimate);
  if (token !== undefined) found.add('token', token.id, tokenLimit(token, table.token?.['*']));
  found.add('user', user.id, entryOf(table.user, user.username));
  found.add('group', group, group === autoGroup ? ownEntryOf(table.group, group) : entryOf(table.group, group), group);
  found.add('model', model, modelEntry(table.model, model), model);
  return found;
}

/** The key's own limits and those for every key: the tighter of each kind. */
function tokenLimit(own: RatedToken, all: RateLimit | undefined): RateLimit {
  const { rpm = 0, tpm = 0, concurrency = 0 } = all ?? {};
  return {
    rpm: tighter(own.rpmLimit, rpm),
    tpm: tighter(own.tpmLimit, tpm),
    concurrency: tighter(own.concurrencyLimit, concurrency),
  };
}

function tighter(one: number, other: number): number {
  if (one === 0 || other === 0) return one + other;
  return Math.min(one, other);
}

type Entries = Readonly<Record<string, RateLimit>> | undefined;

function entryOf(entries: Entries, name: string): RateLimit | undefined {
  return ownEntryOf(entries, name) ?? entries?.['*'];
}

function ownEntryOf(entries: Entries, name: string): RateLimit | undefined {
  return entries !== undefined && Object.hasOwn(entries, name) ? entries[name] : undefined;
}

/** The entry of the name itself, else the longest `prefix*` that it begins with. */
function modelEntry(entries: Entries, model: string): RateLimit | undefined {
  if (entries === undefined) return undefined;
  if (Object.hasOwn(entries, model)) return entries[model];
  let best: string | undefined;
  for (const pattern of Object.keys(entries)) {
    if (!pattern.endsWith('*') || !model.startsWith(pattern.slice(0, -1))) continue;
    if (best === undefined || pattern.length > best.length) best = pattern;
  }
  return best === undefined ? undefined : entries[best];
}

function tightest(limits: readonly Limit[], slots: readonly Drawn[], kind: Limit['kind']): Headroom | undefined {
  let room: Headroom | undefined;
  limits.forEach((limit, at) => {
    const slot = slots[at];
    if (limit.kind !== kind || slot === undefined) return;
    const isRefused = !slot.allowed;
    if (room !== undefined && !isRefused && slot.remaining >= room.remaining) return;
    const remaining = isRefused && kind === 'rpm' ? 0 : slot.remaining;
    room = { limit: limit.limit, remaining, resetSeconds: seconds(slot.resetMs) };
  });
  return room;
}

const codes = {
  token: {
    rpm: 'rate_limited:token_rpm',
    tpm: 'rate_limited:token_tpm',
    concurrency: 'rate_limited:token_concurrency',
  },
  user: {
    rpm: 'rate_limited:user_rpm',
    tpm: 'rate_limited:user_tpm',
    concurrency: 'rate_limited:user_concurrency',
  },
  group: {
    rpm: 'rate_limited:group_rpm',
    tpm: 'rate_limited:group_tpm',
    concurrency: 'rate_limited:group_concurrency',
  },
  model: {
    rpm: 'rate_limited:model_rpm',
    tpm: 'rate_limited:model_tpm',
    concurrency: 'rate_limited:model_concurrency',
  },
} as const;

function refusalOf(limit: Limit | AtOnce, slot: Pick<Drawn, 'resetMs'>): TollgateError {
  // What the request asks for: one that is above the limit by itself never passes, however long it waits.
  const asked = limit.kind === 'tpm' ? { asked: limit.amount } : {};
  const params = { limit: limit.limit, ...asked, ...(limit.name === '' ? {} : { name: limit.name }) };
  return new TollgateError(codes[limit.subject][limit.kind], params, { retryAfterSeconds: seconds(slot.resetMs) });
}

function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
