/** What the parts of an import share: where they write, by which rules, and how rows that clash get another name. */
import type { ImportClashRule, ImportSource } from '../contract/gateway-import.ts';
import type { OptionsView } from '../contract/options.ts';
import { TollgateError } from '../errors.ts';
import type { Stores } from '../store/database.ts';
import type { Actor } from './actor.ts';
import type { ImportTally } from './import-report.ts';

export interface ImportWork {
  /** Of the one transaction in which everything is written. */
  readonly stores: Stores;
  readonly family: ImportSource;
  readonly onClash: ImportClashRule;
  /** A group of the source by its name here. */
  readonly groupOf: (name: string) => string;
  readonly tally: ImportTally;
  /** Tables whose first rows the database has taken note of. */
  readonly measured: Set<string>;
  /** In whose name options and audit rows are written. */
  readonly actor: Actor;
  /** The options in force when options were taken over. */
  readonly options: () => OptionsView;
  readonly nowSeconds: number;
}

/** What rows that were written must add up to. */
export interface ExpectedSum {
  /** Column. */
  readonly amount: string;
  /** Table. */
  readonly of: string;
  readonly ids: readonly number[];
  readonly amounts: readonly number[];
}

/** To be called once rows of the table have come: what the database plans holds for the many that follow. */
export async function measureOnce({ stores, measured }: ImportWork, table: string): Promise<void> {
  if (measured.has(table)) return;
  measured.add(table);
  await stores.wholeTables.measure(table);
}

/** What the database makes of a column of these rows. Throws `copy_differs` where that is something else. */
export async function expectSum(stores: Stores, { amount, of, ids, amounts }: ExpectedSum): Promise<bigint> {
  const found = await stores.wholeTables.sumOf(of, amount, ids);
  const expected = amounts.reduce((sum, part) => sum + BigInt(part), 0n);
  if (found === expected) return found;
  throw new TollgateError('copy_differs', { place: `${of}.${amount}`, reason: `${found}, not ${expected}` });
}

/** A list of groups, or of anything else between commas, by the names here; each once. */
export function regrouped(text: string, groupOf: (name: string) => string): string {
  const names = text.split(',').map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== '').map(groupOf))].join(',');
}

/** `name-2`, `name-3` and so on: the first that is free, within so many characters. */
export async function freeName(
  name: string,
  longest: number,
  isTaken: (candidate: string) => boolean | Promise<boolean>,
): Promise<string> {
  for (let number = 2; ; number += 1) {
    const ending = `-${number}`;
    const candidate = [...name].slice(0, longest - ending.length).join('') + ending;
    if (!(await isTaken(candidate))) return candidate;
  }
}
