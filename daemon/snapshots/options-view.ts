/** Stored option texts, parsed once per change into the view that everybody reads. */
import {
  isOptionKey,
  type OptionKey,
  type OptionsView,
  type OptionValue,
  type OptionValues,
  optionKeys,
  optionTable,
  parseOption,
} from '../contract/options.ts';
import type { OptionRecord } from '../store/options.ts';

/** Opens a value sealed at rest; throws when it was sealed under another secret. */
export type Unseal = (context: { table: string; column: string; row: string }, sealed: string) => string;

export interface OptionsSource {
  /** Rows of `options`; keys that the table does not know are skipped. */
  readonly records: readonly OptionRecord[];
  /** The newest change of prices that is in these rows. */
  readonly priceVersion?: number | undefined;
  /** Shipped defaults that the table only names, such as the price maps. */
  readonly defaults: OptionValues;
  readonly unseal: Unseal;
  /** What stood before: an unreadable stored value keeps its last good one. */
  readonly previous?: ParsedOptions;
  /** Told about every stored value that cannot be read; the reason never contains the value. */
  readonly report: (key: OptionKey, reason: string) => void;
}

/** An immutable set of parsed options. */
export class ParsedOptions implements OptionsView {
  readonly priceVersion: number | undefined;
  /** Every option, so that reading one is a single look-up: a call reads dozens. */
  readonly #inForce: OptionValues = {};
  readonly #values: OptionValues;
  readonly #texts: ReadonlyMap<OptionKey, string>;
  readonly #defaults: OptionValues;

  constructor(source: OptionsSource) {
    const values: OptionValues = {};
    const texts = new Map<OptionKey, string>();
    for (const { key, value } of source.records) {
      if (!isOptionKey(key)) continue;
      texts.set(key, value);
      read(key, value, source, values);
    }
    this.priceVersion = source.priceVersion;
    this.#values = values;
    this.#texts = texts;
    this.#defaults = source.defaults;
    for (const key of optionKeys) put(this.#inForce, key, values[key] ?? this.defaultOf(key));
  }

  get<K extends OptionKey>(key: K): OptionValue<K> {
    return this.#inForce[key] ?? this.defaultOf(key);
  }

  /** The value in force while nothing is stored. */
  defaultOf<K extends OptionKey>(key: K): OptionValue<K> {
    return this.#defaults[key] ?? optionTable[key].default;
  }

  /** The stored text, sealed for secrets; undefined while the default is in force. */
  storedText(key: OptionKey): string | undefined {
    return this.#texts.get(key);
  }

  /** The value parsed before from this very text, so that unchanged rows are not parsed again. */
  reuse<K extends OptionKey>(key: K, text: string): OptionValue<K> | undefined {
    return this.#texts.get(key) === text ? this.#values[key] : undefined;
  }

  /** The last value that could be read; undefined when there was none. */
  lastGood<K extends OptionKey>(key: K): OptionValue<K> | undefined {
    return this.#values[key];
  }
}

function read<K extends OptionKey>(key: K, stored: string, source: OptionsSource, values: OptionValues): void {
  const known = source.previous?.reuse(key, stored);
  if (known !== undefined) {
    put(values, key, known);
    return;
  }
  const text = optionTable[key].secret && stored !== '' ? unsealed(key, stored, source.unseal) : stored;
  const parsed = text === undefined ? undefined : parseOption(key, text);
  if (parsed?.ok) {
    put(values, key, parsed.value);
    return;
  }
  source.report(key, parsed ? parsed.reason : 'cannot be opened with this secret');
  const last = source.previous?.lastGood(key);
  if (last !== undefined) put(values, key, last);
}

/** The one place where a value enters the map; its type is checked here because a mapped type cannot be written by key. */
function put<K extends OptionKey>(values: OptionValues, key: K, value: OptionValue<K>): void {
  Object.assign(values, { [key]: value });
}

function unsealed(key: OptionKey, stored: string, unseal: Unseal): string | undefined {
  try {
    return unseal(optionSealContext(key), stored);
  } catch {
    // The caller reports the key; the error of a cipher says nothing more.
    return undefined;
  }
}

/** What a sealed option value is bound to. */
export function optionSealContext(key: OptionKey): { table: string; column: string; row: string } {
  return { table: 'options', column: 'value', row: key };
}
