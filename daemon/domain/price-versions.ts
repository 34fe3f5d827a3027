/**
 * Versions of prices: every change of a price option keeps the texts that it replaced, so that what prices were at any
 * version is known, can be compared, and can be put back byte by byte (REQ-20).
 */

import { isPriceOption, type PriceOption, priceOptions } from '../contract/price-options.ts';
import type { Stores } from '../store/database.ts';
import type { OptionTexts, PriceVersionRecord } from '../store/price-versions.ts';
import type { Actor } from './actor.ts';

/** Why prices become different, and what the author says to it. */
export interface PriceVersionReason {
  readonly cause: PriceVersionRecord['cause'];
  readonly note: string;
}

/** An entry of a price option that differs between two versions. */
export interface PriceDifference {
  readonly option: PriceOption;
  /** The model, or tool; "" for an option that is one list. */
  readonly name: string;
  /** A figure, the JSON text of what is more than that, or undefined where there is no entry. */
  readonly before: number | string | undefined;
  readonly after: number | string | undefined;
}

/** Older ones are forgotten: a version of large tables is some hundred kilobytes. */
export const keptVersions = 1000;
/** Names of changed models that a version tells. */
const toldModels = 20;

/** Stored texts of the price options among these keys, in the transaction that is about to change them. */
export async function priceTextsOf(stores: Stores, keys: readonly string[]): Promise<OptionTexts> {
  const texts = new Map<string, string | null>();
  for (const key of keys) {
    if (isPriceOption(key)) texts.set(key, (await stores.options.find(key))?.value ?? null);
  }
  return texts;
}

/** Notes a version, in the transaction of the change; returns its number, or undefined when nothing is different. */
export async function notePriceVersion(
  stores: Stores,
  change: {
    readonly actor: Actor;
    readonly reason: PriceVersionReason;
    readonly before: OptionTexts;
    /** The text of an option that stands at its default. */
    readonly defaultText: (key: PriceOption) => string;
    readonly nowSeconds: number;
  },
): Promise<number | undefined> {
  const { actor, reason, before, defaultText, nowSeconds } = change;
  const after = await priceTextsOf(stores, [...before.keys()]);
  const changed = new Map([...before].filter(([key, text]) => after.get(key) !== text));
  if (changed.size === 0) return undefined;
  const differences = priceDifferences(changed, after, defaultText);
  const models = [...new Set(differences.map(({ name }) => name).filter((name) => name !== ''))];
  const id = await stores.priceVersions.insert(
    {
      createdAt: nowSeconds,
      actorId: actor.userId,
      actorName: actor.username,
      ...reason,
      models: JSON.stringify(models.slice(0, toldModels)),
      modelCount: models.length,
    },
    changed,
  );
  await stores.priceVersions.prune(keptVersions);
  return id;
}

/** Entries that differ, by option, then by name. Options that `before` does not name are left out. */
export function priceDifferences(
  before: OptionTexts,
  after: OptionTexts,
  defaultText: (key: PriceOption) => string,
): PriceDifference[] {
  return priceOptions.flatMap((option) => {
    if (!before.has(option)) return [];
    const [old, now] = [before, after].map((texts) => entriesOf(texts.get(option) ?? defaultText(option)));
    const names = [...new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])].sort();
    return names.flatMap((name) => {
      const [one, other] = [old?.get(name), now?.get(name)];
      return one === other ? [] : [{ option, name, before: one, after: other }];
    });
  });
}

/** The entries of a stored text: figures as they are, anything else as JSON text. */
function entriesOf(text: string): ReadonlyMap<string, number | string> {
  const parsed: unknown = JSON.parse(text === '' ? '{}' : text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return new Map([['', text]]);
  return new Map(
    Object.entries(parsed).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'number' ? value : JSON.stringify(value),
    ]),
  );
}
