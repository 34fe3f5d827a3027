/** Prices of tools that an upstream runs and reports (relay.md 15.6). */
import type { PriceMap } from '../contract/options.ts';
import { type ToolCounts, type ToolImage, type ToolName, toolNames } from '../relay/canonical/usage.ts';
import { Decimal } from './decimal.ts';
import type { ImagePriceList } from './price-images.ts';
import { countOf } from './price-rates.ts';

interface ToolPriceEntry {
  readonly key: string;
  /** Model prefix after the colon; '' applies to every model. */
  readonly prefix: string;
  readonly price: number;
  readonly per: ToolPrice['per'];
  /** USD a call or piece. */
  readonly each: Decimal;
}

/** A price found: `usd` as the option states it, for so many calls or pieces; `each` what one costs in USD. */
export interface ToolPrice {
  readonly usd: number;
  readonly per: 1 | 1000;
  readonly each: Decimal;
}

/** Calls of one tool at one price. */
export interface PricedTool extends ToolPrice {
  readonly name: ToolName;
  readonly count: number;
  /** What was made, where the table of images has its price. */
  readonly image?: ToolImage;
}

/** Keys under which a tool's price may stand, besides its own name. */
const PIECE_KEYS: Readonly<Partial<Record<ToolName, string>>> = {
  code_interpreter: 'code_interpreter_container_each',
  image_generation: 'image_generation_each',
};

export class ToolPriceList {
  readonly #entries: readonly ToolPriceEntry[];

  /** @param prices option `ToolPrice`: `tool` or `tool:<prefix>*` to USD. */
  constructor(prices: PriceMap) {
    this.#entries = Object.entries(prices).map(([name, price]) => {
      const [key = '', model = ''] = name.split(':');
      const exact = Decimal.of(price);
      const per = key.endsWith('_each') ? 1 : 1000;
      const each = per === 1 ? exact : exact.dividedByPowerOfTen(3);
      return { key, prefix: model.replace(/\*$/, ''), price, per, each };
    });
  }

  /** The entry with the longest prefix of `model`; undefined when the tool has no price and so costs nothing. */
  find(tool: ToolName, model: string): ToolPrice | undefined {
    let best: ToolPriceEntry | undefined;
    for (const entry of this.#entries) {
      const named = entry.key === tool || entry.key === PIECE_KEYS[tool];
      if (!named || !model.startsWith(entry.prefix)) continue;
      if (!best || entry.prefix.length > best.prefix.length) best = entry;
    }
    return best && { usd: best.price, per: best.per, each: best.each };
  }
}

/** Tools that ran and have a price; images by the table as far as they are described in it. */
export function pricedTools(
  lists: { readonly tools: ToolPriceList; readonly images: ImagePriceList },
  model: string,
  ran: ToolCounts,
): PricedTool[] {
  const priced: PricedTool[] = [];
  for (const name of toolNames) {
    const count = countOf(ran[name]);
    if (count === 0) continue;
    const listed = name === 'image_generation' ? listedImages(lists.images, (ran.images ?? []).slice(0, count)) : [];
    const others = listed.reduce((left, one) => left - one.count, count);
    const price = others === 0 ? undefined : lists.tools.find(name, model);
    priced.push(...listed);
    if (price !== undefined) priced.push({ name, count: others, ...price });
  }
  return priced;
}

/** Those that are in the table, counted by what they look like. */
function listedImages(table: ImagePriceList, images: readonly ToolImage[]): PricedTool[] {
  const found = new Map<string, PricedTool>();
  for (const image of images) {
    const each = table.tablePrice(image.model, image, 'bill');
    if (each === undefined) continue;
    const key = `${image.model}\n${image.size ?? ''}\n${image.quality ?? ''}`;
    const count = (found.get(key)?.count ?? 0) + 1;
    found.set(key, { name: 'image_generation', count, usd: each.toNumber(), per: 1, each, image });
  }
  return [...found.values()];
}
