/** Prices as people write them: dollars a million tokens, dollars a call, or the ratios that are stored. */
import type { PriceMember } from '../../daemon/contract/prices.ts';
import { usageError } from '../errors.ts';
import { textOf } from '../flags.ts';
import { both } from '../language.ts';

/** Figures by their published names; null removes one. */
export type PriceEdit = Partial<Record<PriceMember, number | null>>;

/** Dollars a million tokens at a ratio of 1. */
const perMillion = 2;

const ratioFlags: Readonly<Record<string, PriceMember>> = {
  ratio: 'model_ratio',
  completion: 'completion_ratio',
  cache: 'cache_ratio',
  cacheWrite: 'create_cache_ratio',
  audio: 'audio_ratio',
  image: 'image_ratio',
};

/** Flags that say what a model costs, as commander names them. */
const priceFlags = ['input', 'output', 'perCall', ...Object.keys(ratioFlags), 'unset'];

/** Takes every figure away; a figure that the contract gains is missed by the compiler here. */
const nothing: Readonly<Record<PriceMember, null>> = {
  model_ratio: null,
  completion_ratio: null,
  cache_ratio: null,
  create_cache_ratio: null,
  audio_ratio: null,
  audio_completion_ratio: null,
  image_ratio: null,
  image_completion_ratio: null,
  model_price: null,
};

/** Reads the flags of `price set`. Throws exit 3. */
export function readPrice(flags: Readonly<Record<string, unknown>>): PriceEdit {
  if (flags.unset === true) {
    const also = priceFlags.find((flag) => flag !== 'unset' && flags[flag] !== undefined);
    if (also === undefined) return nothing;
    throw usageError(
      both('--unset takes every figure away, so it stands alone', '--unset 会移除全部价格，须单独使用'),
      {
        field: '--unset',
      },
    );
  }
  const edit: PriceEdit = {};
  for (const [flag, member] of Object.entries(ratioFlags)) {
    const text = textOf(flags[flag]);
    if (text !== undefined) edit[member] = numberOf(text, `--${flag}`);
  }
  const [input, output, call] = [textOf(flags.input), textOf(flags.output), textOf(flags.perCall)];
  if (call !== undefined) edit.model_price = dollarsOf(call, '--per-call');
  if (output !== undefined && input === undefined) {
    throw usageError(both('--output needs --input beside it', '--output 须与 --input 一起使用'), { field: '--output' });
  }
  if (input === undefined) return edit;
  const dollars = dollarsOf(input, '--input');
  edit.model_ratio = rounded(dollars / perMillion);
  if (output === undefined) return edit;
  if (dollars === 0) {
    throw usageError(both('--output needs an --input above 0', '--output 要求 --input 大于 0'), { field: '--output' });
  }
  edit.completion_ratio = rounded(dollarsOf(output, '--output') / dollars);
  return edit;
}

/** Throws exit 3 for a figure among models: elsewhere `--unset` names what it takes away, here it takes all of a model's. */
export function refuseFigures(models: readonly string[]): void {
  const figure = models.find((name) => Object.hasOwn(nothing, name) || knownFlag(name) !== undefined);
  if (figure === undefined) return;
  throw usageError(
    both(
      `--unset takes every figure of a model away; ${figure} is a figure, no model`,
      `--unset 会移除模型的全部价格；${figure} 是价格项，不是模型`,
    ),
    { field: '--unset' },
  );
}

/** Reads what a file says of one model, under names like the flags'. Throws exit 3. */
export function readNamedPrice(figures: readonly (readonly [name: string, text: string])[], field: string): PriceEdit {
  const flags = figures.map(([name, text]): [string, unknown] => {
    const flag = flagNamed(name, field);
    return [flag, flag === 'unset' ? isYes(text, field) : text];
  });
  return readPrice(Object.fromEntries(flags));
}

/** The flag of this name, however its words are joined. */
function knownFlag(name: string): string | undefined {
  const plain = name.toLowerCase().replace(/[-_ ]+/g, '');
  return priceFlags.find((known) => known.toLowerCase() === plain);
}

/** A name that is misspelt would leave a figure as it was. */
function flagNamed(name: string, field: string): string {
  const flag = knownFlag(name);
  if (flag !== undefined) return flag;
  const known = priceFlags.map((each) => each.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
  throw usageError(
    both(`no figure ${name}; there are ${known.join(', ')}`, `没有价格项 ${name}；可用：${known.join('、')}`),
    { field },
  );
}

function isYes(text: string, field: string): boolean {
  if (/^(?:true|yes|1)$/i.test(text)) return true;
  if (/^(?:false|no|0)$/i.test(text)) return false;
  throw usageError(both(`unset is true or false, not ${text}`, `unset 须为 true 或 false，而不是 ${text}`), { field });
}

/** Dollars a million prompt tokens. */
export function inputPrice(modelRatio: number): number {
  return rounded(modelRatio * perMillion);
}

/** A quotient without the digits that binary fractions add. */
export function rounded(value: number): number {
  return Number(value.toPrecision(12));
}

function dollarsOf(text: string, field: string): number {
  return numberOf(text.trim().replace(/usd$/i, '').replace(/^\$/, ''), field);
}

function numberOf(text: string, field: string): number {
  const value = /^\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (value >= 0 && value <= 1_000_000) return value;
  throw usageError(both(`${text} is no price`, `${text} 不是有效价格`), { field });
}
