/** Prices of tools that an upstream runs and reports (relay.md 15.6). */
import type { PriceMap } from '../contract/options.ts';
import type { ToolCounts } from '../relay/canonical/usage.ts';
import { Decimal } from './decimal.ts';

export type ToolName = keyof ToolCounts;

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
