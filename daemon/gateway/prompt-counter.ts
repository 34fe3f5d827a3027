/** How many tokens a prompt has: roughly before the call, as well as can be known for a bill without usage (14.3). */
import type { Price } from '../domain/pricing.ts';
import type { FormatId } from '../relay/format.ts';
import { countPrompt, estimatePrompt, type ImageSizes } from '../relay/tokens/prompt.ts';
import type { TokenCounter } from '../relay/tokens/token-counter.ts';
import type { Inspection } from './inspect.ts';

/** Words of the members that make a short body a long prompt; in a text they only cost an estimate. */
const MEDIA = ['image', 'audio', 'video', 'file', 'document'];

export class PromptCounter {
  readonly #tokens: TokenCounter;

  constructor(tokens: TokenCounter) {
    this.#tokens = tokens;
  }

  /**
   * An estimate for the hold. A token has at least one byte, so a body without media that is no longer than what every
   * hold covers anyway need not be looked at.
   */
  estimate(format: FormatId, inspection: Inspection, price: Price): number {
    const { body, model, json } = inspection;
    if (price.mode === 'fixed') return 0;
    if (body.length <= price.site.preConsumedQuota && !MEDIA.some((word) => body.includes(word))) return 0;
    return estimatePrompt({ format, model, body: json });
  }

  /** The count for a bill; `sizesOf` looks at remote images. */
  count(format: FormatId, { model, json }: Inspection, sizesOf?: ImageSizes): Promise<number> {
    return countPrompt(this.#tokens, { format, model, body: json }, sizesOf);
  }
}
