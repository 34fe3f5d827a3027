/** Defaults that the option table only names: the price maps of the shipped price file (relay.md 15.1). */
import {
  isOptionKey,
  type OptionKey,
  type OptionValues,
  optionKeys,
  optionTable,
  parseOption,
} from '../contract/options.ts';
import prices from './model-prices.json' with { type: 'json' };

const shipped: Readonly<Record<string, unknown>> = prices;

/** Values of the options whose default is a member of the price file. Throws for a member that does not fit its option. */
export function shippedOptionDefaults(): OptionValues {
  const values: OptionValues = {};
  for (const key of optionKeys) if (isOptionKey(key)) take(key, values);
  return values;
}

function take<K extends OptionKey>(key: K, values: OptionValues): void {
  const member = optionTable[key].shipped;
  if (member === undefined) return;
  const parsed = parseOption(key, JSON.stringify(shipped[member]));
  if (!parsed.ok) throw new Error(`the price file has no usable ${member} for ${key}`);
  Object.assign(values, { [key]: parsed.value });
}
