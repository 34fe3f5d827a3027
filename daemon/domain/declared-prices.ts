/** Prices in declared state: one object for what the price maps say of a model. */
import { formatOption, type OptionKey, type OptionsView } from '../contract/options.ts';
import { priceMemberOf } from '../contract/price-members.ts';
import { type PriceMapKey, priceMaps } from '../contract/price-options.ts';
import type { DeclaredPrice } from '../contract/state-document.ts';
import { TollgateError } from '../errors.ts';
import {
  changedFields,
  type DeclaredKind,
  type Fields,
  type KindView,
  type LiveObject,
  type ObjectChange,
  type StateReading,
  type WantedObject,
} from './declared-objects.ts';
import type { OptionWriter } from './option-writer.ts';
import { changedMaps, type PriceChange } from './price-edits.ts';

export interface DeclaredPricesDeps {
  readonly writer: Pick<OptionWriter, 'checkedText'>;
  readonly defaults: OptionsView;
}

/** Dollars a million tokens at a ratio of 1. */
const perMillion = 2;

export function declaredPrices(deps: DeclaredPricesDeps): DeclaredKind {
  return { kind: 'price', view: async (reading) => viewPrices(deps, reading) };
}

function viewPrices({ writer, defaults }: DeclaredPricesDeps, reading: StateReading): KindView {
  const { document, options, writerOf } = reading;
  const declared = Object.entries<DeclaredPrice>(document.prices ?? {});
  const live = new Map<string, LiveObject>();
  for (const name of new Set([...namesIn(options), ...namesIn(defaults), ...declared.map(([name]) => name)])) {
    const fields = fieldsOf(options, name);
    const isThere = Object.entries(fieldsOf(defaults, name)).some(([path, figure]) => figure !== fields[path]);
    live.set(name, { target: name, key: name, fields, isThere });
  }
  return {
    live,
    wanted: declared.map(([name, price]) => wantedPrice(name, price, live.get(name)?.fields ?? {})),
    defaultOf: (target, path) => fieldsOf(defaults, target ?? '')[path],
    isRootOnly: () => false,
    writerOf: (_target, path) => {
      const map = priceMaps.find((known) => priceMemberOf[known] === path);
      return map === undefined ? undefined : writerOf(map);
    },
    prepare: (changes) => {
      const values = changedMaps(priceChangesOf(changes, live), options);
      const texts = new Map<OptionKey, string>();
      for (const map of priceMaps) {
        const value = values[map];
        if (value !== undefined) texts.set(map, writer.checkedText(map, formatOption(map, value)));
      }
      return { options: texts };
    },
  };
}

/** The same changes entry by entry, for those who judge prices. */
export function priceChangesOf(changes: readonly ObjectChange[], live: ReadonlyMap<string, LiveObject>): PriceChange[] {
  return changes.flatMap((change) => {
    const before = live.get(change.key)?.fields ?? {};
    const after = changedFields(before, change);
    return priceMaps.flatMap((map): PriceChange[] => {
      const [old, next] = [figureOf(before, map), figureOf(after, map)];
      return old === next ? [] : [{ name: change.key, map, before: old, after: next }];
    });
  });
}

function figureOf(fields: Fields, map: PriceMapKey): number | undefined {
  const figure = fields[priceMemberOf[map]];
  return typeof figure === 'number' ? figure : undefined;
}

function namesIn(options: OptionsView): string[] {
  return priceMaps.flatMap((map) => Object.keys(options.get(map)));
}

function fieldsOf(options: OptionsView, name: string): Fields {
  return Object.fromEntries(
    priceMaps.map((map) => {
      const figures = options.get(map);
      return [priceMemberOf[map], Object.hasOwn(figures, name) ? (figures[name] ?? null) : null];
    }),
  );
}

/** A price by call stands above every ratio, so that a ratio ends it without a word of the document. */
function wantedPrice(name: string, price: DeclaredPrice, live: Fields): WantedObject {
  const fields = inRatios(name, price);
  const endsPriceByCall =
    typeof fields.model_ratio === 'number' && fields.model_price === undefined && typeof live.model_price === 'number';
  if (!endsPriceByCall) return { key: name, target: name, fields };
  return { key: name, target: name, fields: { ...fields, model_price: null }, implied: ['model_price'] };
}

/** Throws `state_fields_clash` where dollars and ratios are mixed, or an output price stands alone. */
function inRatios(name: string, price: DeclaredPrice): Fields {
  const { input_usd_per_million: input, output_usd_per_million: output, ...ratios } = price;
  const refuse = (fields: string) =>
    new TollgateError('state_fields_clash', { key: name, fields }, { field: `prices.${name}` });
  if (input !== undefined && ratios.model_ratio !== undefined) throw refuse('input_usd_per_million, model_ratio');
  if (output === undefined)
    return input === undefined ? ratios : { ...ratios, model_ratio: rounded(input / perMillion) };
  if (!input || ratios.completion_ratio !== undefined) throw refuse('output_usd_per_million, input_usd_per_million');
  return { ...ratios, model_ratio: rounded(input / perMillion), completion_ratio: rounded(output / input) };
}

/** A quotient without the digits that binary fractions add. */
function rounded(value: number): number {
  return Number(value.toPrecision(12));
}
