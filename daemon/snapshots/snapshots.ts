/**
 * What the hot path reads from memory. This room turns rows into immutable views and swaps them when a topic changes;
 * it knows nothing of requests. A request takes `snapshots.current()` once and sees one consistent world to its end.
 */
import type { Bus } from '../cluster/bus.ts';
import type { OptionKey, OptionsView, OptionValues } from '../contract/options.ts';
import type { ChannelKeyRecord } from '../store/channel-keys.ts';
import type { ChannelRecord } from '../store/channels.ts';
import type { OptionRecord } from '../store/options.ts';
import type { RateRuleRecord } from '../store/rate-rules.ts';
import { type ChannelIndex, ChannelIndexImage } from './channel-index.ts';
import { type ChannelView, toChannelView } from './channel-view.ts';
import { ParsedOptions, type Unseal } from './options-view.ts';

export interface Snapshot {
  /** Rises with every swap on this node. */
  readonly revision: number;
  readonly options: OptionsView;
  readonly channels: ChannelIndex;
  /** Undefined while there are none, which is all that a call then looks at. */
  readonly rateRules?: readonly RateRuleRecord[] | undefined;
  readonly setupDone: boolean;
}

/** Where the rows come from; every read is one statement and may run while others write. */
export interface SnapshotSource {
  options(): Promise<readonly OptionRecord[]>;
  /** Number of the newest change of prices; 0 before the first. */
  priceVersion(): Promise<number>;
  /** All channels, or only those named; ids without a row are simply absent. */
  channels(ids?: readonly number[]): Promise<readonly ChannelRecord[]>;
  /** Keys of all channels, or only of those named. */
  channelKeys(channelIds?: readonly number[]): Promise<readonly ChannelKeyRecord[]>;
  rateRules(): Promise<readonly RateRuleRecord[]>;
  setupDone(): Promise<boolean>;
}

/** Something in the database that could not be read; it is left out or keeps its last good value. */
export type SnapshotProblem =
  | { readonly kind: 'option'; readonly key: OptionKey; readonly reason: string }
  | { readonly kind: 'channel-key'; readonly channelId: number; readonly keyId: number }
  | { readonly kind: 'reload'; readonly topic: string; readonly cause: unknown };

export interface SnapshotsDeps {
  readonly source: SnapshotSource;
  readonly bus: Pick<Bus, 'onChange'>;
  readonly unseal: Unseal;
  /** Defaults that the option table only names (the price maps). */
  readonly optionDefaults: OptionValues;
  readonly report: (problem: SnapshotProblem) => void;
  /** Seconds between full reloads, which only mend what an announcement lost; 60 by default. */
  readonly syncSeconds?: number;
}

const topics = ['options', 'channels', 'rate_rules', 'setup'] as const;
type Topic = (typeof topics)[number];

export class Snapshots {
  readonly #deps: SnapshotsDeps;
  readonly #reloads: Record<Topic, Reload>;
  #options: ParsedOptions;
  #channels = ChannelIndexImage.empty();
  /** By channel id: what the views in force were made from. */
  readonly #fingerprints = new Map<number, Fingerprint>();
  #rateRules: readonly RateRuleRecord[] | undefined;
  #setupDone = false;
  #snapshot: Snapshot;
  #stopListening: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: SnapshotsDeps) {
    this.#deps = deps;
    this.#options = new ParsedOptions({
      records: [],
      defaults: deps.optionDefaults,
      unseal: deps.unseal,
      report: () => undefined,
    });
    this.#snapshot = { revision: 0, options: this.#options, channels: this.#channels, setupDone: false };
    this.#reloads = {
      options: new Reload(async () => this.#loadOptions()),
      channels: new Reload(async (ids) => this.#loadChannels(ids)),
      rate_rules: new Reload(async () => this.#loadRateRules()),
      setup: new Reload(async () => this.#loadSetup()),
    };
  }

  /** The world of this moment; take it once per request. */
  current(): Snapshot {
    return this.#snapshot;
  }

  /** The options with their defaults and stored texts, for the option service. */
  parsedOptions(): ParsedOptions {
    return this.#options;
  }

  /** Loads everything, then follows the bus. Rejects with `db_unavailable` when the first load fails. */
  async start(): Promise<void> {
    this.#stopListening = this.#deps.bus.onChange((topic, _revision, detail) => this.reload(topic, detail));
    await Promise.all(topics.map((topic) => this.reload(topic)));
    this.#timer = setInterval(() => this.#reloadAll(), (this.#deps.syncSeconds ?? 60) * 1000);
    this.#timer.unref();
  }

  stop(): void {
    this.#stopListening?.();
    this.#stopListening = undefined;
    clearInterval(this.#timer);
  }

  /**
   * Reads a topic again; resolves once the current snapshot holds everything committed before the call. The detail of
   * `channels` is a comma list of the ids that changed; without it all channels are compared. Other topics are ignored.
   */
  async reload(topic: string, detail?: string): Promise<void> {
    const known = topics.find((name) => name === topic);
    if (known) await this.#reloads[known].run(known === 'channels' ? parseIds(detail) : undefined);
  }

  #reloadAll(): void {
    for (const topic of topics) {
      this.reload(topic).catch((cause: unknown) => this.#deps.report({ kind: 'reload', topic, cause }));
    }
  }

  async #loadOptions(): Promise<void> {
    const { source } = this.#deps;
    const before = await source.priceVersion();
    const records = await source.options();
    // A change of prices in between may be in the rows or not; it has announced another reload.
    const isSure = (await source.priceVersion()) === before;
    this.#options = this.#parse(records, isSure ? before : undefined);
    this.#swap();
  }

  async #loadRateRules(): Promise<void> {
    const rules = await this.#deps.source.rateRules();
    this.#rateRules = rules.length === 0 ? undefined : rules;
    this.#swap();
  }

  async #loadSetup(): Promise<void> {
    this.#setupDone = await this.#deps.source.setupDone();
    this.#swap();
  }

  async #loadChannels(ids: readonly number[] | undefined): Promise<void> {
    // Keys are read after the rows: a channel deleted between the two reads only leaves keys that nobody asks for.
    const records = await this.#deps.source.channels(ids);
    const keys = groupByChannel(await this.#deps.source.channelKeys(ids));
    const changes = this.#changes(records, keys, ids);
    if (changes.size === 0) return;
    this.#channels = this.#channels.with(changes);
    this.#swap();
  }

  /** What differs from the index in force; channels whose routing facts are unchanged keep their view. */
  #changes(
    records: readonly ChannelRecord[],
    keys: ReadonlyMap<number, readonly ChannelKeyRecord[]>,
    ids: readonly number[] | undefined,
  ): Map<number, ChannelView | undefined> {
    const changes = new Map<number, ChannelView | undefined>();
    const present = new Set<number>();
    for (const record of records) {
      present.add(record.id);
      const own = keys.get(record.id) ?? [];
      if (this.#fingerprints.get(record.id)?.matches(record, own)) continue;
      this.#fingerprints.set(record.id, new Fingerprint(record, own));
      changes.set(record.id, toChannelView({ record, keys: own, unseal: this.#deps.unseal, report: this.#reportKey }));
    }
    for (const id of ids ?? this.#fingerprints.keys()) {
      if (present.has(id) || !this.#fingerprints.delete(id)) continue;
      changes.set(id, undefined);
    }
    return changes;
  }

  readonly #reportKey = (channelId: number, keyId: number): void =>
    this.#deps.report({ kind: 'channel-key', channelId, keyId });

  #parse(records: readonly OptionRecord[], priceVersion: number | undefined): ParsedOptions {
    return new ParsedOptions({
      records,
      priceVersion,
      defaults: this.#deps.optionDefaults,
      unseal: this.#deps.unseal,
      previous: this.#options,
      report: (key, reason) => this.#deps.report({ kind: 'option', key, reason }),
    });
  }

  #swap(): void {
    this.#snapshot = {
      revision: this.#snapshot.revision + 1,
      options: this.#options,
      channels: this.#channels,
      rateRules: this.#rateRules,
      setupDone: this.#setupDone,
    };
  }
}

/** The facts of a channel and its keys that routing depends on; statistics are left out on purpose. */
class Fingerprint {
  readonly #record: ChannelRecord;
  readonly #keys: readonly ChannelKeyRecord[];

  constructor(record: ChannelRecord, keys: readonly ChannelKeyRecord[]) {
    this.#record = record;
    this.#keys = keys;
  }

  matches(record: ChannelRecord, keys: readonly ChannelKeyRecord[]): boolean {
    return (
      routingFields.every((field) => this.#record[field] === record[field]) &&
      keys.length === this.#keys.length &&
      keys.every((key, at) => keyFields.every((field) => this.#keys[at]?.[field] === key[field]))
    );
  }
}

const routingFields = [
  'type',
  'openaiOrganization',
  'testModel',
  'status',
  'name',
  'weight',
  'baseUrl',
  'other',
  'models',
  'group',
  'modelMapping',
  'statusCodeMapping',
  'maxInputTokens',
  'priority',
  'autoBan',
  'otherInfo',
  'tag',
  'setting',
  'paramOverride',
  'modelPrefix',
  'budgets',
] as const satisfies readonly (keyof ChannelRecord)[];

const keyFields = [
  'id',
  'position',
  'keyHash',
  'keySealed',
  'status',
  'cap',
  'tpm',
  'concurrency',
] as const satisfies readonly (keyof ChannelKeyRecord)[];

function groupByChannel(keys: readonly ChannelKeyRecord[]): Map<number, ChannelKeyRecord[]> {
  const groups = new Map<number, ChannelKeyRecord[]>();
  for (const key of keys) {
    const own = groups.get(key.channelId);
    if (own) own.push(key);
    else groups.set(key.channelId, [key]);
  }
  return groups;
}

function parseIds(detail: string | undefined): readonly number[] | undefined {
  if (!detail) return undefined;
  const ids = detail.split(',').map(Number);
  return ids.every((id) => Number.isSafeInteger(id) && id > 0) ? ids : undefined;
}

/**
 * Runs one load at a time. Whoever asks during a load gets the next one, because the running load may have read its
 * rows before their write; all who wait share that next load.
 */
class Reload {
  readonly #load: (ids: readonly number[] | undefined) => Promise<void>;
  #running: Promise<void> | undefined;
  #next: { ids: Set<number> | 'all'; done: Promise<void> } | undefined;

  constructor(load: (ids: readonly number[] | undefined) => Promise<void>) {
    this.#load = load;
  }

  run(ids: readonly number[] | undefined): Promise<void> {
    if (!this.#running) return this.#begin(ids);
    if (this.#next) {
      if (ids === undefined) this.#next.ids = 'all';
      else if (this.#next.ids !== 'all') for (const id of ids) this.#next.ids.add(id);
      return this.#next.done;
    }
    const next = { ids: ids === undefined ? ('all' as const) : new Set(ids), done: Promise.resolve() };
    const begin = () => {
      this.#next = undefined;
      return this.#begin(next.ids === 'all' ? undefined : [...next.ids]);
    };
    // The load that fails answers for itself; the one after it starts all the same.
    next.done = this.#running.then(begin, begin);
    this.#next = next;
    return next.done;
  }

  #begin(ids: readonly number[] | undefined): Promise<void> {
    const running = this.#load(ids).finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    return running;
  }
}
