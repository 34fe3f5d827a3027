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
import { isTopic, Reload, type Topic, topics, type Wish } from './reload.ts';

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
  /** Every topic with its revision, which rises in the transaction of the change. */
  revisions(): Promise<ReadonlyMap<string, number>>;
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

/** Puts what was read in the place of what was there; false if nothing changed by it. */
type Taking = () => boolean;

/** How often rows are read where changes never pause; then they are taken as read, and the last one brings the rest. */
const mostReads = 5;

export class Snapshots {
  readonly #deps: SnapshotsDeps;
  readonly #reload: Reload;
  /** Revisions of the topics that the snapshot in force was read at. */
  #revisions: ReadonlyMap<string, number> = new Map();
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
    this.#reload = new Reload((wish) => this.#load(wish));
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
    await this.#reload.run(everything());
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
    if (isTopic(topic)) await this.#reload.run(new Map([[topic, topic === 'channels' ? parseIds(detail) : 'all']]));
  }

  #reloadAll(): void {
    this.#reload.run(everything()).catch((cause: unknown) => this.#deps.report({ kind: 'reload', topic: '*', cause }));
  }

  /**
   * Takes in what is wished, and with it whatever else has risen: what one transaction changed (the groups of channels
   * and their ratios, the address of a channel and its keys) shows whole or not at all, or a call in between would be
   * served by half of it.
   */
  async #load(wish: Wish): Promise<void> {
    const { source } = this.#deps;
    let before = await source.revisions();
    for (let reads = 1; ; reads += 1) {
      const takings = await this.#readAll(this.#withRisen(wish, before));
      const after = await source.revisions();
      if (reads === mostReads || topics.every((topic) => after.get(topic) === before.get(topic))) {
        const changed = takings.map((take) => take());
        this.#revisions = before;
        if (changed.includes(true)) this.#swap();
        return;
      }
      before = after;
    }
  }

  /** The wish, and all that rose since it was last read. Some channels are read by themselves only. */
  #withRisen(wish: Wish, revisions: ReadonlyMap<string, number>): Wish {
    const risen = topics.filter((topic) => wish.has(topic) || revisions.get(topic) !== this.#revisions.get(topic));
    return risen.length === 1 ? wish : new Map(risen.map((topic) => [topic, 'all']));
  }

  #readAll(wish: Wish): Promise<Taking[]> {
    const reads: Record<Topic, (ids: readonly number[] | undefined) => Promise<Taking>> = {
      options: () => this.#readOptions(),
      channels: (ids) => this.#readChannels(ids),
      rate_rules: () => this.#readRateRules(),
      setup: () => this.#readSetup(),
    };
    return Promise.all([...wish].map(([topic, ids]) => reads[topic](ids === 'all' ? undefined : [...ids])));
  }

  async #readOptions(): Promise<Taking> {
    const { source } = this.#deps;
    const before = await source.priceVersion();
    const records = await source.options();
    // A change of prices in between may be in the rows or not; it has announced another reload.
    const isSure = (await source.priceVersion()) === before;
    return () => {
      this.#options = this.#parse(records, isSure ? before : undefined);
      return true;
    };
  }

  async #readRateRules(): Promise<Taking> {
    const rules = await this.#deps.source.rateRules();
    return () => {
      this.#rateRules = rules.length === 0 ? undefined : rules;
      return true;
    };
  }

  async #readSetup(): Promise<Taking> {
    const setupDone = await this.#deps.source.setupDone();
    return () => {
      this.#setupDone = setupDone;
      return true;
    };
  }

  async #readChannels(ids: readonly number[] | undefined): Promise<Taking> {
    // Keys are read after the rows: a channel deleted between the two reads only leaves keys that nobody asks for.
    const records = await this.#deps.source.channels(ids);
    const keys = groupByChannel(await this.#deps.source.channelKeys(ids));
    return () => {
      const changes = this.#changes(records, keys, ids);
      if (changes.size > 0) this.#channels = this.#channels.with(changes);
      return changes.size > 0;
    };
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

const everything = (): Wish => new Map(topics.map((topic) => [topic, 'all']));

function parseIds(detail: string | undefined): ReadonlySet<number> | 'all' {
  if (!detail) return 'all';
  const ids = detail.split(',').map(Number);
  return ids.every((id) => Number.isSafeInteger(id) && id > 0) ? new Set(ids) : 'all';
}
