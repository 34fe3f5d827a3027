/** Reading and writing runtime options: who may, what is acceptable, and that every node learns of it. */
import type { Bus } from '../cluster/bus.ts';
import type { OptionWarning } from '../contract/option-warnings.ts';
import {
  formatOption,
  isOptionKey,
  type OptionKey,
  type OptionsView,
  type OptionValue,
  type OptionValues,
  optionKeys,
  optionTable,
  parseOption,
} from '../contract/options.ts';
import { isPriceOption } from '../contract/price-options.ts';
import { roles } from '../contract/roles.ts';
import { TollgateError } from '../errors.ts';
import type { ParsedOptions, Unseal } from '../snapshots/options-view.ts';
import type { Database, Stores } from '../store/database.ts';
import type { OptionChangeRecord } from '../store/option-changes.ts';
import type { OptionTexts } from '../store/price-versions.ts';
import type { Actor } from './actor.ts';
import { type AuditedAct, auditBy } from './audits.ts';
import { optionWarnings } from './option-warnings.ts';
import { type OptionWrite, OptionWriter } from './option-writer.ts';
import { defaultPriceTables } from './price-file.ts';
import { type PriceVersionReason, priceTextsOf } from './price-versions.ts';

export type { OptionsView } from '../contract/options.ts';

/** One option as administrators see it. */
export interface OptionRow {
  readonly key: OptionKey;
  /** The published text; "" for secrets. */
  readonly value: string;
  /** For secrets only: whether one is stored. */
  readonly set?: boolean;
  /** The published text; "" for secrets. */
  readonly defaultText: string;
  readonly isChanged: boolean;
  /** The last write; undefined when there was none. */
  readonly lastChange: OptionChangeRecord | undefined;
}

/** What a caller sent for an option; null clears a secret and puts any other option back to its default. */
export type SentOptionValue = string | number | boolean | null | readonly string[];

export interface OptionServiceDeps {
  readonly database: Database;
  readonly bus: Pick<Bus, 'announce'>;
  /** The options in force on this node. */
  readonly current: () => ParsedOptions;
  readonly seal: (context: { table: string; column: string; row: string }, plain: string) => string;
  readonly unseal: Unseal;
  /** Unix seconds. */
  readonly nowSeconds: () => number;
}

/** Several options that change together. */
export interface OptionEdit {
  /** What the options become, by what they are; absent ones stay. */
  readonly change: (values: OptionsView) => OptionValues;
  /** What the version of prices says that this may make. */
  readonly version: PriceVersionReason;
}

/** Price options that become what they were. */
export interface OptionRestoring {
  readonly texts: (stores: Stores) => Promise<OptionTexts>;
  readonly version: PriceVersionReason;
  /** For the audit log, beside what it says of every option. */
  readonly act: AuditedAct;
}

/** Defaults that the option table only names: the shipped price tables. */
export function shippedOptionDefaults(): OptionValues {
  const tables = defaultPriceTables();
  return {
    ModelRatio: tables.modelRatio,
    ModelPrice: tables.modelPrice,
    CompletionRatio: tables.completionRatio,
    CacheRatio: tables.cacheRatio,
    CacheCreationRatio: tables.cacheCreationRatio,
    AudioRatio: tables.audioRatio,
    AudioCompletionRatio: tables.audioCompletionRatio,
    ImageRatio: tables.imageRatio,
    ImageCompletionRatio: tables.imageCompletionRatio,
    CompletionRatioRules: tables.completionRatioRules,
    LongContextTiers: tables.longContextTiers,
    ToolPrice: tables.toolPrice,
    ImagePriceTable: tables.imagePriceTable,
  };
}

export class OptionService {
  readonly #deps: OptionServiceDeps;
  readonly #writer: OptionWriter;

  constructor(deps: OptionServiceDeps) {
    this.#deps = deps;
    this.#writer = new OptionWriter(deps);
  }

  /** Every option of the table with its value in force. */
  async list(): Promise<OptionRow[]> {
    const changes = new Map(
      (await this.#deps.database.stores.optionChanges.all()).map((change) => [change.key, change]),
    );
    const current = this.#deps.current();
    return optionKeys.map((key) => {
      const lastChange = changes.get(key);
      if (optionTable[key].secret) {
        const isSet = current.get(key) !== '';
        return { key, value: '', set: isSet, defaultText: '', isChanged: isSet, lastChange };
      }
      const stored = current.storedText(key);
      const standard = this.#writer.defaultText(key);
      const value = stored ?? standard;
      return { key, value, defaultText: standard, isChanged: value !== standard, lastChange };
    });
  }

  /**
   * Writes one option and returns what its writer should know. Throws `option_unknown`, `option_invalid`,
   * `option_dependency`, `forbidden_role`, and `option_changed` where another text than the expected one is in force.
   */
  async set(actor: Actor, name: string, sent: SentOptionValue, expected?: string): Promise<OptionWarning[]> {
    if (!isOptionKey(name)) throw new TollgateError('option_unknown', { key: name.slice(0, 100) }, { field: 'key' });
    if (optionTable[name].class === 'root' && actor.role < roles.root) throw new TollgateError('forbidden_role');
    if (optionTable[name].secret && expected !== undefined) {
      throw new TollgateError('invalid_params', {}, { field: 'expected' });
    }
    if (optionTable[name].secret && sent === '') return [];
    const text = sent === null ? undefined : this.#writer.checkedText(name, sentText(name, sent));
    const before = this.#deps.current();
    const cleared = await this.#write({ actor, key: name, text, expected });
    const change = { key: name, before, after: this.#deps.current() };
    return [...cleared, ...(await optionWarnings(change, this.#deps.database.stores))];
  }

  /**
   * Changes several options together, all or none, from the values of the very moment: `change` gets them and returns
   * those that become different. Returns the version of prices that this makes, if it makes one. Throws
   * `option_invalid`, `forbidden_role`.
   */
  async edit(actor: Actor, keys: readonly OptionKey[], edit: OptionEdit): Promise<number | undefined> {
    const isRootOnly = keys.some((key) => optionTable[key].class === 'root');
    if (isRootOnly && actor.role < roles.root) throw new TollgateError('forbidden_role');
    const { revision, version } = await this.#deps.database.transaction((stores) =>
      this.editWithin(stores, { actor, keys, edit }),
    );
    await this.#deps.bus.announce('options', revision);
    return version;
  }

  /** The same as a part of another change, by whoever may make that one; who commits it announces the revision. */
  async editWithin(
    stores: Stores,
    { actor, keys, edit }: { readonly actor: Actor; readonly keys: readonly OptionKey[]; readonly edit: OptionEdit },
  ): Promise<{ revision: number; version: number | undefined }> {
    const revision = await stores.revisions.bump('options');
    const before = await priceTextsOf(stores, keys);
    const texts = new Map<OptionKey, string>();
    for (const key of keys) texts.set(key, await this.#writer.storedText(stores, key));
    const changed = edit.change(viewOf(texts, this.#deps.current()));
    for (const key of keys) {
      const text = textIn(key, changed);
      if (text === undefined) continue;
      await this.#writer.store(stores, { actor, key, text: this.#writer.checkedText(key, text) });
    }
    return { revision, version: await this.#writer.noteVersion(stores, { actor, before, reason: edit.version }) };
  }

  /**
   * Puts stored texts of price options back byte by byte, all or none; null puts the default in force. Returns the
   * version that this makes, undefined when they were so already. Throws `option_invalid` where a text is not understood
   * any more.
   */
  async restore(actor: Actor, wish: OptionRestoring): Promise<number | undefined> {
    const { revision, version } = await this.#deps.database.transaction(async (stores) => {
      const revision = await stores.revisions.bump('options');
      const texts = await wish.texts(stores);
      const before = await priceTextsOf(stores, [...texts.keys()]);
      for (const [key, text] of texts) {
        if (!isPriceOption(key) || before.get(key) === text) continue;
        if (text !== null) this.#writer.checkedText(key, text);
        await this.#writer.store(stores, { actor, key, text: text ?? undefined });
      }
      await stores.audits.append(auditBy(actor, wish.act, this.#deps.nowSeconds()));
      return { revision, version: await this.#writer.noteVersion(stores, { actor, before, reason: wish.version }) };
    });
    await this.#deps.bus.announce('options', revision);
    return version;
  }

  /** The text of an option that stands at its default. */
  defaultTextOf(key: OptionKey): string {
    return this.#writer.defaultText(key);
  }

  /** Puts `ModelRatio` back to the shipped table. */
  async resetModelRatio(actor: Actor): Promise<void> {
    await this.#write({ actor, key: 'ModelRatio', text: undefined }, 'reset');
  }

  /** Stores the text, clears what was bound to an old address, and tells every node. */
  async #write(
    { expected, ...write }: OptionWrite & { readonly expected?: string | undefined },
    cause: PriceVersionReason['cause'] = 'option',
  ): Promise<OptionWarning[]> {
    const { cleared, revision } = await this.#deps.database.transaction(async (stores) => {
      // The bump comes first: its row lock makes writers of all nodes wait for each other.
      const revision = await stores.revisions.bump('options');
      if (expected !== undefined && (await this.#writer.storedText(stores, write.key)) !== expected) {
        throw new TollgateError('option_changed', { key: write.key }, { field: write.key });
      }
      const before = await priceTextsOf(stores, [write.key]);
      const cleared = await this.#writer.replace(stores, write);
      await this.#writer.noteVersion(stores, { actor: write.actor, before, reason: { cause, note: '' } });
      return { cleared, revision };
    });
    await this.#deps.bus.announce('options', revision, write.key);
    return cleared.map((key) => ({ code: 'secret_cleared', params: { key } }));
  }
}

/** The options that these texts, as stored, stand for; any other is at its value in force. */
export function viewOf(texts: ReadonlyMap<OptionKey, string>, current: OptionsView): OptionsView {
  const known: OptionValues = {};
  return {
    get<K extends OptionKey>(key: K): OptionValue<K> {
      const found = known[key];
      if (found !== undefined) return found;
      const text = texts.get(key);
      const parsed = text === undefined ? undefined : parseOption(key, text);
      const value = parsed?.ok ? parsed.value : current.get(key);
      Object.assign(known, { [key]: value });
      return value;
    },
  };
}

function textIn<K extends OptionKey>(key: K, values: OptionValues): string | undefined {
  const value = values[key];
  return value === undefined ? undefined : formatOption(key, value);
}

/** The text of what was sent; only a list of words may come as an array. Throws `option_invalid`. */
function sentText(key: OptionKey, sent: Exclude<SentOptionValue, null>): string {
  if (typeof sent !== 'object') return String(sent);
  if (optionTable[key].form === 'words') return sent.join(',');
  throw new TollgateError('option_invalid', { key, reason: 'must be text' }, { field: key });
}
