/** Channels as files (console.md 9, N11): out with or without their keys, in all or none. */
import type { clashRules } from '../contract/channel-transfer.ts';
import { TollgateError } from '../errors.ts';
import type { ChannelFilter } from '../store/channel-filters.ts';
import type { ChannelKeyRecord } from '../store/channel-keys.ts';
import type { ChannelRecord } from '../store/channels.ts';
import type { Database, Stores } from '../store/database.ts';
import type { Actor } from './actor.ts';
import {
  type ChannelRules,
  judgesKeys,
  movesKeys,
  type NewChannelFields,
  readChannelChange,
  readNewChannel,
} from './channel-admission.ts';
import type { ChannelCooling } from './channel-cooling.ts';
import {
  columnChanges,
  type ImportChange,
  type ImportRow,
  keyChanges,
  type RawImportRow,
  readImportRow,
} from './channel-import-row.ts';
import type { ChannelPatch } from './channel-input.ts';
import type { ChannelWriter, KeyState } from './channel-writer.ts';

export interface ChannelTransferDeps {
  readonly database: Database;
  readonly writer: ChannelWriter;
  readonly cooling: Pick<ChannelCooling, 'clear'>;
  readonly rules: ChannelRules;
  /** Unix seconds. */
  readonly nowSeconds: () => number;
}

/** A channel on its way into a file; `keys` are absent unless they were asked for. */
export interface ExportedChannel {
  readonly record: ChannelRecord;
  readonly keys?: readonly { readonly record: ChannelKeyRecord; readonly key: string }[];
}

export interface ChannelImport {
  readonly rows: readonly RawImportRow[];
  readonly onClash: (typeof clashRules)[number];
  readonly mode: 'dry-run' | 'write';
}

export interface ImportProblem {
  /** Place in the file, from 1. */
  readonly row: number;
  readonly name: string;
  /** Member at fault. */
  readonly field: string;
  readonly error: TollgateError;
}

export interface ImportedRow {
  readonly row: number;
  readonly name: string;
  readonly action: 'create' | 'update' | 'unchanged' | 'skip';
  /** Undefined for a channel that does not exist yet. */
  readonly id: number | undefined;
  readonly changes: readonly ImportChange[];
}

export interface ImportReport {
  readonly rows: readonly ImportedRow[];
  /** Anything here means that nothing was written. */
  readonly problems: readonly ImportProblem[];
}

/** A row with what is to be written for it. */
interface PlannedRow extends ImportedRow {
  readonly made?: NewChannelFields;
  readonly patch?: ChannelPatch;
  readonly keys?: readonly KeyState[];
  /** Whether the channel comes back into routing. */
  readonly isRevived?: boolean;
  /** Whether stored keys come to somebody who does not read them now. */
  readonly movesKeys?: boolean;
}

const chunk = 500;

export class ChannelTransfer {
  readonly #deps: ChannelTransferDeps;

  constructor(deps: ChannelTransferDeps) {
    this.#deps = deps;
  }

  /** Channels by id; asking for keys is audited before the first is given. Throws `channel_key_hidden`. */
  async export(
    actor: Actor,
    filter: ChannelFilter,
    keys: 'with-keys' | 'without-keys',
  ): Promise<AsyncIterable<ExportedChannel>> {
    const { stores } = this.#deps.database;
    if (keys === 'with-keys' && this.#deps.rules.revealKeys === 'hidden') throw new TollgateError('channel_key_hidden');
    const { items } = await stores.channels.list(filter, 'id', { offset: 0, limit: 1_000_000 });
    const records = items.reverse();
    if (keys === 'without-keys') return plain(records);
    const detail = { channels: records.map(({ id }) => id) };
    await this.#deps.writer.auditLook(actor, { action: 'channel.export_keys', id: 0, detail });
    return this.#withKeys(records);
  }

  async *#withKeys(records: readonly ChannelRecord[]): AsyncGenerator<ExportedChannel> {
    const { channelKeys } = this.#deps.database.stores;
    for (let from = 0; from < records.length; from += chunk) {
      const some = records.slice(from, from + chunk);
      const rows = await channelKeys.all(some.map(({ id }) => id));
      const opened = this.#deps.writer.openKeys(rows);
      const keys = rows.map((record, index) => ({ record, key: opened[index] ?? '' }));
      for (const record of some) {
        yield { record, keys: keys.filter((entry) => entry.record.channelId === record.id) };
      }
    }
  }

  /** Whether an import takes stored keys to somebody who does not read them now (S15). */
  async movesKeys({ rows, onClash }: Pick<ChannelImport, 'rows' | 'onClash'>): Promise<boolean> {
    if (onClash !== 'update') return false;
    const plan = await this.#plan(this.#deps.database.stores, rows, onClash);
    return plan.rows.some((row) => row.movesKeys === true);
  }

  /** Makes and changes channels in one transaction, unless a row has a problem. Throws `channel_import_empty`. */
  async import(actor: Actor, { rows, onClash, mode }: ChannelImport): Promise<ImportReport> {
    if (rows.length === 0) throw new TollgateError('channel_import_empty', {}, { field: 'channels' });
    if (mode === 'dry-run') return this.#plan(this.#deps.database.stores, rows, onClash);
    let report: ImportReport = { rows: [], problems: [] };
    const changed = await this.#deps.writer.write(async (stores, revision) => {
      const plan = await this.#plan(stores, rows, onClash);
      report = plan;
      if (plan.problems.length > 0) return [];
      const written = await this.#write(stores, plan.rows);
      const touched = written.flatMap(({ id, action, changes }) =>
        id === undefined || action === 'skip' || action === 'unchanged' ? [] : [{ id, action, changes }],
      );
      const acts = touched.map(({ id, action, changes }) => {
        const fields = changes.map(({ field }) => field);
        return { action: 'channel.import', id, detail: { action, ...(fields.length > 0 ? { fields } : {}) } };
      });
      await this.#deps.writer.auditAll(stores, actor, acts);
      const ended = touched.map(({ id }) => id);
      await stores.coolingEnds.note(ended, revision);
      report = { rows: written, problems: [] };
      return touched;
    });
    for (const { id } of changed) this.#deps.cooling.clear(id);
    return report;
  }

  async #plan(
    stores: Stores,
    rows: readonly RawImportRow[],
    onClash: ChannelImport['onClash'],
  ): Promise<{ rows: PlannedRow[]; problems: ImportProblem[] }> {
    const there = byName(await stores.channels.all());
    const planned: PlannedRow[] = [];
    const problems: ImportProblem[] = [];
    const seen = new Set<string>();
    for (const [index, raw] of rows.entries()) {
      const name = String(raw.name ?? '').trim();
      const place = { row: index + 1, name };
      try {
        if (onClash !== 'create' && name !== '' && seen.has(name)) {
          throw new TollgateError('channel_import_twice', { name }, { field: 'name' });
        }
        seen.add(name);
        const named = onClash === 'create' ? [] : (there.get(name) ?? []);
        const row = readImportRow(raw, named[0]?.type);
        planned.push({ ...place, ...(await this.#planRow(stores, row, { name, named, onClash })) });
      } catch (error) {
        if (!(error instanceof TollgateError)) throw error;
        problems.push({ ...place, field: error.field ?? 'name', error });
      }
    }
    return { rows: planned, problems };
  }

  async #planRow(
    stores: Stores,
    row: ImportRow,
    clash: { name: string; named: readonly ChannelRecord[]; onClash: ChannelImport['onClash'] },
  ): Promise<Omit<PlannedRow, 'row' | 'name'>> {
    const { rules, writer } = this.#deps;
    const { name, named, onClash } = clash;
    const [current, another] = named;
    const keys = row.keys?.map((entry) => ({ ...entry, hash: writer.hashOf(entry.key) }));
    if (!current) {
      const made = readNewChannel({ ...row.input, keyList: keys?.map(({ key }) => key) }, rules);
      const fields = row.status === undefined ? made.fields : { ...made.fields, status: row.status };
      return { action: 'create', id: undefined, changes: [], made: { ...made, fields }, ...(keys ? { keys } : {}) };
    }
    if (onClash === 'fail') throw new TollgateError('channel_import_clash', { name }, { field: 'name' });
    if (onClash === 'skip') return { action: 'skip', id: current.id, changes: [] };
    if (another) throw new TollgateError('channel_import_ambiguous', { name }, { field: 'name' });
    const newKeys = keys?.map(({ key }) => key) ?? [];
    const isJudged = newKeys.length === 0 && judgesKeys(current, row.patch);
    const stored = isJudged || newKeys.length > 0 ? await stores.channelKeys.all([current.id]) : [];
    const all = isJudged ? writer.openKeys(stored) : newKeys;
    const patch = readChannelChange(current, row.patch, { newKeys, keys: all, rules });
    const keyDiff = keys?.length ? keyChanges(stored, keys) : [];
    const changes = [...columnChanges(current, patch), ...keyDiff];
    if (changes.length === 0) return { action: 'unchanged', id: current.id, changes };
    const moved = newKeys.length === 0 && movesKeys(current, { ...current, ...patch });
    const written = keys && keyDiff.length > 0 ? { keys } : {};
    const isRevived = patch.status === 1 && current.status !== 1;
    return { action: 'update', id: current.id, changes, patch, isRevived, movesKeys: moved, ...written };
  }

  /** Writes the plan; rows of new channels get their ids. */
  async #write(stores: Stores, planned: readonly PlannedRow[]): Promise<ImportedRow[]> {
    const { writer, nowSeconds } = this.#deps;
    const createdTime = nowSeconds();
    const news = planned.flatMap(({ made }) => (made ? [{ ...made, fields: { ...made.fields, createdTime } }] : []));
    const ids = (await writer.insert(stores, news)).map(({ id }) => id);
    const rows: ImportedRow[] = [];
    for (const { made, patch, keys, isRevived, movesKeys: _moved, ...row } of planned) {
      const id = made ? ids.shift() : row.id;
      rows.push({ ...row, id });
      if (id === undefined) continue;
      // Before the states that the row names: those are what it wants.
      if (isRevived) await writer.reviveKeys(stores, id);
      if (keys && !made) await writer.setKeys(stores, id, { keys: keys.map(({ key }) => key), mode: 'replace' });
      if (keys?.some(({ status, cap }) => status !== undefined || cap !== undefined)) {
        await writer.setKeyStates(stores, id, keys);
      }
      if (patch) await writer.update(stores, id, isRevived ? { ...patch, otherInfo: '' } : patch);
    }
    return rows;
  }
}

function byName(channels: readonly ChannelRecord[]): Map<string, ChannelRecord[]> {
  const named = new Map<string, ChannelRecord[]>();
  for (const channel of channels) {
    const same = named.get(channel.name);
    if (same) same.push(channel);
    else named.set(channel.name, [channel]);
  }
  return named;
}

async function* plain(records: readonly ChannelRecord[]): AsyncGenerator<ExportedChannel> {
  for (const record of records) yield { record };
}
