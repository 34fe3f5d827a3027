/**
 * Stores options in a transaction that its caller has opened: what is acceptable, what a change takes along, and the
 * rows that tell of it in the audit log and the versions of prices.
 */
import { lostName, lostNameReason, placeOfLostName } from '../contract/lost-names.ts';
import {
  formatOption,
  isOptionKey,
  type OptionKey,
  optionKeys,
  optionTable,
  parseOption,
} from '../contract/options.ts';
import { TollgateError } from '../errors.ts';
import { optionSealContext, type ParsedOptions } from '../snapshots/options-view.ts';
import type { Stores } from '../store/database.ts';
import type { OptionTexts } from '../store/price-versions.ts';
import type { Actor } from './actor.ts';
import { auditBy } from './audits.ts';
import { optionProblem } from './option-checks.ts';
import { notePriceVersion, type PriceVersionReason, priceTextsOf } from './price-versions.ts';

export interface OptionWriterDeps {
  /** The options in force on this node. */
  readonly current: () => ParsedOptions;
  readonly seal: (context: { table: string; column: string; row: string }, plain: string) => string;
  /** Unix seconds. */
  readonly nowSeconds: () => number;
}

/** A checked write. */
export interface OptionWrite {
  readonly actor: Actor;
  readonly key: OptionKey;
  /** undefined = back to the default. */
  readonly text: string | undefined;
}

/** A secret written this recently by the same actor survives a change of its address: one save sends both. */
const sameSaveSeconds = 60;
/** Every node reads all options whenever one changes (management-api.md 5.8). */
const longestBytes = 1024 * 1024;
/** Longest part of an old or new value that an audit row keeps. */
const auditedCharacters = 16_384;

export class OptionWriter {
  readonly #deps: OptionWriterDeps;

  constructor(deps: OptionWriterDeps) {
    this.#deps = deps;
  }

  /** The text to store, normalised; texts of several lines stay as they were written. Throws `option_invalid`. */
  checkedText<K extends OptionKey>(key: K, text: string): string {
    if (Buffer.byteLength(text) > longestBytes) {
      throw new TollgateError('option_invalid', { key, reason: 'must be no longer than 1 MiB' }, { field: key });
    }
    // Here and not in the contract, to spare the console code: its schemas leave this name out and say nothing.
    const { form } = optionTable[key];
    if ((form === 'json' || form === 'list') && holdsLostName(text)) {
      throw new TollgateError('option_invalid', { key, reason: lostNameReason }, { field: key });
    }
    const parsed = parseOption(key, text);
    const reason = parsed.ok ? optionProblem(key, parsed.value) : parsed.reason;
    if (!parsed.ok || reason !== undefined) {
      throw new TollgateError('option_invalid', { key, reason: reason ?? '' }, { field: key });
    }
    const normalised = formatOption(key, parsed.value);
    const isDefault = normalised === this.defaultText(key);
    return form === 'lines' && !isDefault ? text : normalised;
  }

  /** The text of an option that stands at its default. */
  defaultText<K extends OptionKey>(key: K): string {
    return formatOption(key, this.#deps.current().defaultOf(key));
  }

  /** The text in force; a secret's sealed form stands for the secret. */
  async storedText(stores: Stores, key: OptionKey): Promise<string> {
    return (await stores.options.find(key))?.value ?? this.defaultText(key);
  }

  /** Stores a text and tells of it, as it is. */
  async store(stores: Stores, { actor, key, text }: OptionWrite): Promise<void> {
    await this.#audit(stores, { actor, key, text });
    await this.#noteChange(stores, actor, key);
    if (text === undefined || text === this.defaultText(key)) await stores.options.delete([key]);
    else if (!optionTable[key].secret) await stores.options.set(key, text);
    else await stores.options.set(key, this.#deps.seal(optionSealContext(key), text));
  }

  /**
   * As `store`, when what the option needs is there; clears the secrets that were bound to an old address and returns
   * their keys. Throws `option_dependency`.
   */
  async replace(stores: Stores, write: OptionWrite): Promise<OptionKey[]> {
    if (write.text === 'true') await this.#requireFilled(stores, write.key);
    const cleared = await this.secretsLostWith(stores, write);
    for (const key of cleared) await this.#clear(stores, write, key);
    await this.store(stores, write);
    return cleared;
  }

  /** As `replace`, for several: secrets before the addresses they are bound to, switches when what they need is there. */
  async replaceAll(
    stores: Stores,
    actor: Actor,
    change: { readonly texts: ReadonlyMap<OptionKey, string | undefined>; readonly reason: PriceVersionReason },
  ): Promise<void> {
    const keys = [...change.texts.keys()].sort((one, other) => turnOf(one) - turnOf(other));
    const before = await priceTextsOf(stores, keys);
    for (const key of keys) await this.replace(stores, { actor, key, text: change.texts.get(key) });
    await this.noteVersion(stores, { actor, before, reason: change.reason });
  }

  /** Notes a version of prices where they are different now; returns its number. */
  noteVersion(
    stores: Stores,
    change: { readonly actor: Actor; readonly before: OptionTexts; readonly reason: PriceVersionReason },
  ): Promise<number | undefined> {
    const defaultText = (key: OptionKey) => this.defaultText(key);
    return notePriceVersion(stores, { ...change, defaultText, nowSeconds: this.#deps.nowSeconds() });
  }

  /**
   * S15: a secret must not follow a changed address to another host, unless the same actor wrote it within the same
   * save. The secrets that this write takes along.
   */
  async secretsLostWith(stores: Stores, { actor, key, text }: OptionWrite): Promise<OptionKey[]> {
    const bound = optionKeys.filter((other) => optionTable[other].boundTo === key);
    if (bound.length === 0 || originOf(await this.storedText(stores, key)) === originOf(text ?? '')) return [];
    const lost: OptionKey[] = [];
    for (const secret of bound) {
      if ((await stores.options.find(secret)) && !(await this.#isSameSave(stores, actor, secret))) lost.push(secret);
    }
    return lost;
  }

  async #clear(stores: Stores, { actor, key }: OptionWrite, secret: OptionKey): Promise<void> {
    await stores.options.delete([secret]);
    await this.#noteChange(stores, actor, secret);
    const detail = { cause: `the address in ${key} changed`, old: '***', new: '' };
    const event = { action: 'option.set', target: `option:${secret}`, detail };
    await stores.audits.append(auditBy(actor, event, this.#deps.nowSeconds()));
  }

  async #isSameSave(stores: Stores, actor: Actor, secret: OptionKey): Promise<boolean> {
    const last = await stores.optionChanges.find(secret);
    return last?.actorId === actor.userId && last.updatedAt > this.#deps.nowSeconds() - sameSaveSeconds;
  }

  async #noteChange(stores: Stores, { userId, username }: Actor, key: OptionKey): Promise<void> {
    const updatedAt = this.#deps.nowSeconds();
    await stores.optionChanges.set({ key, updatedAt, actorId: userId, actorName: username });
  }

  /** A switch that needs other options may only be turned on while all of them are filled in. */
  async #requireFilled(stores: Stores, key: OptionKey): Promise<void> {
    const missing: string[] = [];
    for (const needed of optionTable[key].needs ?? []) {
      if (isOptionKey(needed) && (await this.storedText(stores, needed)) === '') missing.push(needed);
    }
    if (missing.length > 0) throw new TollgateError('option_dependency', { fields: missing.join(', ') });
  }

  async #audit(stores: Stores, { actor, key, text }: OptionWrite): Promise<void> {
    const detail = optionTable[key].secret
      ? { old: (await stores.options.find(key)) ? '***' : '', new: text === undefined ? '' : '***' }
      : {
          old: (await this.storedText(stores, key)).slice(0, auditedCharacters),
          new: (text ?? this.defaultText(key)).slice(0, auditedCharacters),
        };
    const event = { action: 'option.set', target: `option:${key}`, detail };
    await stores.audits.append(auditBy(actor, event, this.#deps.nowSeconds()));
  }
}

/** Whether JSON has a member that schemas leave out, however its name is written; what is no JSON has none. */
function holdsLostName(text: string): boolean {
  if (!text.includes(lostName) && !text.includes('\\u')) return false;
  try {
    return placeOfLostName(JSON.parse(text)) !== undefined;
  } catch {
    return false;
  }
}

/** Secrets are stored before the addresses that they are bound to, switches when what they need is there. */
export function turnOf(key: OptionKey): number {
  if (optionTable[key].secret) return 0;
  return optionTable[key].needs === undefined ? 1 : 2;
}

/** Scheme, host and port of an address; for a bare host name that name. */
function originOf(address: string): string {
  return URL.canParse(address) && /^https?:/i.test(address) ? new URL(address).origin : address.trim().toLowerCase();
}
