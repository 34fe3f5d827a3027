/** A model's figures in the price maps, and the two ways of saying them: as ratios, or in dollars per 1M tokens. */
import type { OptionKey } from '../../../../daemon/contract/options.ts';

/** Figures of a model; absent = no entry. */
export interface PriceEntry {
  /** USD per call. */
  readonly price?: number;
  readonly ratio?: number;
  readonly completion?: number;
  readonly cache?: number;
  readonly creation?: number;
}

export type PriceFigure = keyof PriceEntry;
export const priceFigures = ['price', 'ratio', 'completion', 'cache', 'creation'] as const satisfies PriceFigure[];

export const optionOf = {
  price: 'ModelPrice',
  ratio: 'ModelRatio',
  completion: 'CompletionRatio',
  cache: 'CacheRatio',
  creation: 'CacheCreationRatio',
} as const satisfies Record<PriceFigure, OptionKey>;

/** Members of `PUT /api/price/`. */
const memberOf = {
  price: 'model_price',
  ratio: 'model_ratio',
  completion: 'completion_ratio',
  cache: 'cache_ratio',
  creation: 'create_cache_ratio',
} as const satisfies Record<PriceFigure, string>;

export type PriceEntries = ReadonlyMap<string, PriceEntry>;

/** The members of a map's text; none where it is no map. */
export function mapOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
}

/** The entries of all models that any of the maps names, by name. */
export function entriesOf(textOf: (key: OptionKey) => string): PriceEntries {
  const entries = new Map<string, PriceEntry>();
  for (const figure of priceFigures) {
    for (const [name, value] of Object.entries(mapOf(textOf(optionOf[figure])))) {
      if (typeof value === 'number') entries.set(name, { ...entries.get(name), [figure]: value });
    }
  }
  return new Map([...entries].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Without the noise that binary fractions leave behind: 0.3 / 0.1 is 3. */
function plain(value: number): number {
  return Number(value.toPrecision(12));
}

/** A ratio of 1 is 2 USD per 1M tokens. */
const dollarsPerRatio = 2;

export function inputPriceOf({ ratio }: PriceEntry): number | undefined {
  return ratio === undefined ? undefined : plain(ratio * dollarsPerRatio);
}

/** Undefined while no completion ratio is given: the rules then say which one holds. */
export function outputPriceOf({ ratio, completion }: PriceEntry): number | undefined {
  return ratio === undefined || completion === undefined ? undefined : plain(ratio * dollarsPerRatio * completion);
}

/** More digits than prices are shown with: three times a third of $10 is $10, not $9.99999999999. */
function ratioOf(value: number): number {
  return Number(value.toPrecision(15));
}

/** Ratios of prices per 1M tokens; without an output price there is no completion ratio. */
export function ratiosOfPrices(input: number, output: number | undefined): Pick<PriceEntry, 'ratio' | 'completion'> {
  const ratio = ratioOf(input / dollarsPerRatio);
  return output === undefined ? { ratio } : { ratio, completion: ratioOf(output / input) };
}

/** Charged by call and by token at once: the price wins, the ratios are dead. */
export function isConflict({ price, ratio, completion }: PriceEntry): boolean {
  return price !== undefined && (ratio !== undefined || completion !== undefined);
}

/** Neither a price nor a ratio: calls are refused. */
export function isUnpriced(entry: PriceEntry | undefined): boolean {
  return entry?.price === undefined && entry?.ratio === undefined;
}

/** False for a model that stands in no map, or is to be taken out of all of them. */
export function hasFigures(entry: PriceEntry | undefined): boolean {
  return entry !== undefined && Object.keys(entry).length > 0;
}

const largestFigure = 1_000_000;
const numberText = /^-?(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?$/i;

/** Digits and marks as a Chinese keyboard writes them are those of ASCII. */
const typedText = (text: string): string => text.normalize('NFKC').trim();

/** Text of a figure as it is typed; undefined for what is no number from 0 to a million. "" is no entry. */
export function figureOf(text: string): { readonly value: number | undefined } | undefined {
  const typed = typedText(text);
  if (typed === '') return { value: undefined };
  const value = Number(typed);
  return numberText.test(typed) && value >= 0 && value <= largestFigure ? { value } : undefined;
}

/**
 * What is wrong with a text that is no figure. `separated`: a number with marks between its digits, which may be a
 * thousand here and one there, so that nobody guesses.
 */
export function figureProblem(text: string): 'number' | 'separated' | 'range' | undefined {
  if (figureOf(text)) return undefined;
  const typed = typedText(text);
  if (numberText.test(typed)) return 'range';
  return numberText.test(typed.replaceAll(/[\s,.。'_$¥€]/g, '')) ? 'separated' : 'number';
}

/** The entry with another figure, or without it. */
export function withFigure(entry: PriceEntry, figure: PriceFigure, value: number | undefined): PriceEntry {
  const { [figure]: _, ...rest } = entry;
  return value === undefined ? rest : { ...rest, [figure]: value };
}

export function isSameEntry(one: PriceEntry, other: PriceEntry): boolean {
  return priceFigures.every((figure) => one[figure] === other[figure]);
}

export type PriceEdits = ReadonlyMap<string, PriceEntry>;

/** What was typed into a cell of the tables and is no number: it keeps all edits from being applied. */
export interface WrongPrice {
  readonly name: string;
  readonly figure: PriceFigure;
  readonly text: string;
}

/** What stays wrong when these entries take the place of others: a figure that is set anew, or is of no use, is mended. */
export function stillWrong(wrong: readonly WrongPrice[], changes: PriceEdits, before: PriceEntries): WrongPrice[] {
  return wrong.filter(({ name, figure }) => {
    const entry = changes.get(name);
    if (entry === undefined) return true;
    const isOfUse = hasFigures(entry) && (figure === 'price' || entry.price === undefined);
    return isOfUse && entry[figure] === before.get(name)?.[figure];
  });
}

type SentEntry = { [F in PriceFigure as (typeof memberOf)[F]]?: number | null };

/** Figures by model as they are sent. */
export type SentPrices = Record<string, SentEntry>;

/** A price by call leaves no ratios beside it. */
export const appliedEntry = (edited: PriceEntry): PriceEntry =>
  edited.price === undefined ? edited : { price: edited.price };

export interface OvertakenFigure {
  readonly name: string;
  readonly figure: PriceFigure;
  readonly theirs: number | undefined;
  readonly mine: number | undefined;
}

/** What the edits would replace that was not there when they were made. A ratio ends a price by call. */
export function overtakenFigures(edits: PriceEdits, bases: PriceEntries, now: PriceEntries): OvertakenFigure[] {
  return [...edits].flatMap(([name, edited]) => {
    const [entry, base, present] = [appliedEntry(edited), bases.get(name) ?? {}, now.get(name) ?? {}];
    const isSent = (figure: PriceFigure) =>
      entry[figure] !== base[figure] || (figure === 'price' && entry.ratio !== base.ratio);
    return priceFigures
      .filter((figure) => isSent(figure) && present[figure] !== base[figure] && present[figure] !== entry[figure])
      .map((figure) => ({ name, figure, theirs: present[figure], mine: entry[figure] }));
  });
}

/** What is sent of the edits: the figures that differ; null removes one. */
export function sentOf(edits: PriceEdits, stored: PriceEntries): SentPrices {
  const sent: SentPrices = {};
  for (const [name, edited] of edits) {
    const entry = appliedEntry(edited);
    const before = stored.get(name) ?? {};
    const changed = priceFigures.filter((figure) => entry[figure] !== before[figure]);
    if (changed.length === 0) continue;
    sent[name] = Object.fromEntries(changed.map((figure) => [memberOf[figure], entry[figure] ?? null]));
  }
  return sent;
}
