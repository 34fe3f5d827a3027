/**
 * How long tries took and how they failed lately, by channel and model, on this node: counted in bounded space behind
 * each call (console.md 6.25). Nodes tell each other with their heartbeats; whoever asks adds them up.
 */
import { type ErrorClass, errorClasses } from '../contract/system.ts';
import {
  addDurations,
  addSparse,
  countDuration,
  type DurationCounts,
  durationAt,
  noDurations,
  type SparseCounts,
  toSparse,
} from './call-durations.ts';

/** One try at an upstream. */
export interface TimedTry {
  readonly channelId: number;
  /** As clients name it. */
  readonly model: string;
  /** Why it failed; undefined where it answered. */
  readonly failure: ErrorClass | undefined;
  /** Until the end of the answer; undefined where that says nothing, as of a realtime session. */
  readonly durationMs: number | undefined;
  /** From the beginning of the try to its first output. */
  readonly firstTokenMs: number | undefined;
}

/** What a node counted of one model on one channel in the last hour. */
export interface CountedTimes {
  readonly channelId: number;
  /** "" for models beyond those that are kept apart. */
  readonly model: string;
  readonly answered: number;
  readonly durations: SparseCounts;
  readonly firstTokens: SparseCounts;
  readonly errors: Readonly<Partial<Record<ErrorClass, number>>>;
}

/** The same in figures, of all nodes. */
export interface CallTimesRow {
  readonly channelId: number;
  /** Undefined: all models of the channel together. */
  readonly model: string | undefined;
  readonly answered: number;
  readonly failed: number;
  /** Milliseconds; undefined where nothing was timed. Failed tries are not among them. */
  readonly duration: Percentiles | undefined;
  readonly firstToken: Percentiles | undefined;
  /** The most frequent first. */
  readonly errors: readonly { readonly name: ErrorClass; readonly count: number }[];
}

export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
}

/** What one part of the hour has counted. */
interface Stretch {
  /** Its number; another one says that it is over and may be used anew. */
  at: number;
  answered: number;
  readonly durations: DurationCounts;
  readonly firstTokens: DurationCounts;
  readonly errors: Map<ErrorClass, number>;
}

interface Place {
  readonly channelId: number;
  readonly model: string;
  readonly stretches: Stretch[];
}

const stretchMs = 600_000;
/** The running stretch and the five before it. */
const keptStretches = 6;
/** Models on channels that are kept apart. */
const mostPlaces = 500;
const otherModels = '';

export class CallTimes {
  readonly #now: () => number;
  readonly #places = new Map<number, Map<string, Place>>();
  #count = 0;
  #sweptAt = -1;

  /** @param now milliseconds of a clock that never goes back */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Never throws and never waits. */
  count({ channelId, model, failure, durationMs, firstTokenMs }: TimedTry): void {
    const running = this.#running();
    const stretch = stretchOf(this.#placeOf(channelId, model, running), running);
    if (failure !== undefined) {
      stretch.errors.set(failure, (stretch.errors.get(failure) ?? 0) + 1);
      return;
    }
    stretch.answered += 1;
    if (durationMs !== undefined) countDuration(stretch.durations, durationMs);
    if (firstTokenMs !== undefined) countDuration(stretch.firstTokens, firstTokenMs);
  }

  /** What was called within the hour, the busiest first; at most `most`. */
  read(most = Number.POSITIVE_INFINITY): CountedTimes[] {
    const running = this.#running();
    return [...this.#places.values()]
      .flatMap((models) => [...models.values()])
      .map((place) => countedOf(place, running))
      .filter((counted) => callsOf(counted) > 0)
      .sort((one, other) => callsOf(other) - callsOf(one))
      .slice(0, most);
  }

  #running(): number {
    return Math.floor(this.#now() / stretchMs);
  }

  #placeOf(channelId: number, model: string, running: number): Place {
    const known = this.#places.get(channelId)?.get(model);
    if (known) return known;
    if (this.#count >= mostPlaces) this.#sweep(running);
    const name = this.#count >= mostPlaces ? otherModels : model;
    const models = this.#places.get(channelId) ?? new Map<string, Place>();
    this.#places.set(channelId, models);
    const place = models.get(name) ?? { channelId, model: name, stretches: [] };
    if (!models.has(name)) this.#count += 1;
    models.set(name, place);
    return place;
  }

  /** Forgets, once a stretch, what was not called within the hour. */
  #sweep(running: number): void {
    if (this.#sweptAt === running) return;
    this.#sweptAt = running;
    for (const [channelId, models] of this.#places) {
      for (const [model, { stretches }] of models) {
        if (!stretches.some((stretch) => isKept(stretch, running)) && models.delete(model)) this.#count -= 1;
      }
      if (models.size === 0) this.#places.delete(channelId);
    }
  }
}

function stretchOf({ stretches }: Place, running: number): Stretch {
  const known = stretches[running % keptStretches];
  if (known?.at === running) return known;
  const fresh: Stretch = {
    at: running,
    answered: 0,
    durations: noDurations(),
    firstTokens: noDurations(),
    errors: new Map(),
  };
  stretches[running % keptStretches] = fresh;
  return fresh;
}

const isKept = ({ at }: Stretch, running: number): boolean => at > running - keptStretches;

function countedOf({ channelId, model, stretches }: Place, running: number): CountedTimes {
  const durations = noDurations();
  const firstTokens = noDurations();
  const errors: Partial<Record<ErrorClass, number>> = {};
  let answered = 0;
  for (const stretch of stretches.filter((stretch) => isKept(stretch, running))) {
    answered += stretch.answered;
    addDurations(durations, stretch.durations);
    addDurations(firstTokens, stretch.firstTokens);
    for (const [name, count] of stretch.errors) errors[name] = (errors[name] ?? 0) + count;
  }
  return { channelId, model, answered, durations: toSparse(durations), firstTokens: toSparse(firstTokens), errors };
}

function failuresOf({ errors }: Pick<CountedTimes, 'errors'>): number {
  return Object.values(errors).reduce((sum, count) => sum + count, 0);
}

function callsOf(counted: CountedTimes): number {
  return counted.answered + failuresOf(counted);
}

/** Figures of what nodes counted: of each channel all models together, then one by one, the busiest first. */
export function timesOf(counted: readonly CountedTimes[]): CallTimesRow[] {
  return [...groupedBy(counted, ({ channelId }) => channelId).values()].flatMap((own) => {
    const byModel = [...groupedBy(own, ({ model }) => model)].map(([model, same]) => rowOf(same, model));
    return [rowOf(own, undefined), ...byModel.sort((one, other) => callsIn(other) - callsIn(one))];
  });
}

/** To the first output, of all that nodes counted; undefined where nothing was timed. */
export function firstTokenOf(counted: readonly Pick<CountedTimes, 'firstTokens'>[]): Percentiles | undefined {
  const all = noDurations();
  for (const { firstTokens } of counted) addSparse(all, firstTokens);
  return percentilesOf(all);
}

function groupedBy<Key>(counted: readonly CountedTimes[], keyOf: (one: CountedTimes) => Key): Map<Key, CountedTimes[]> {
  const groups = new Map<Key, CountedTimes[]>();
  for (const one of counted) {
    const known = groups.get(keyOf(one));
    if (known) known.push(one);
    else groups.set(keyOf(one), [one]);
  }
  return groups;
}

const callsIn = ({ answered, failed }: CallTimesRow): number => answered + failed;

function rowOf(counted: readonly CountedTimes[], model: string | undefined): CallTimesRow {
  const durations = noDurations();
  const firstTokens = noDurations();
  const errors = new Map<ErrorClass, number>();
  for (const one of counted) {
    addSparse(durations, one.durations);
    addSparse(firstTokens, one.firstTokens);
    for (const name of errorClasses) {
      const count = one.errors[name] ?? 0;
      if (count > 0) errors.set(name, (errors.get(name) ?? 0) + count);
    }
  }
  return {
    channelId: counted[0]?.channelId ?? 0,
    model,
    answered: counted.reduce((sum, { answered }) => sum + answered, 0),
    failed: counted.reduce((sum, one) => sum + failuresOf(one), 0),
    duration: percentilesOf(durations),
    firstToken: percentilesOf(firstTokens),
    errors: [...errors].map(([name, count]) => ({ name, count })).sort((one, other) => other.count - one.count),
  };
}

function percentilesOf(counts: DurationCounts): Percentiles | undefined {
  const p50 = durationAt(counts, 0.5);
  const p95 = durationAt(counts, 0.95);
  return p50 === undefined || p95 === undefined ? undefined : { p50, p95 };
}
