/** How many tokens a prompt has: roughly before the call, as well as can be known for a bill without usage (14.3). */
import type { Price } from '../domain/pricing.ts';
import type { FormatId } from '../relay/format.ts';
import { estimateText, tokenFamilyOf } from '../relay/tokens/estimate.ts';
import type { Inspection } from './inspect.ts';

/** Members that make a short body a long prompt. */
const MEDIA = /"(?:image_url|input_image|input_audio|file|video_url|input_file)"/;

export class PromptCounter {
  /**
   * An estimate for the hold. A token has at least one byte, so a body without media that is no longer than what every
   * hold covers anyway need not be looked at.
   */
  estimate(_format: FormatId, inspection: Inspection, price: Price): number {
    const { body, model } = inspection;
    if (price.mode === 'fixed') return 0;
    if (body.length <= price.site.preConsumedQuota && !MEDIA.test(body.toString('latin1'))) return 0;
    return estimateText(tokenFamilyOf(model), body.toString('utf8'));
  }

  /** The count for a bill. */
  async count(_format: FormatId, inspection: Inspection): Promise<number> {
    return estimateText(tokenFamilyOf(inspection.model), inspection.body.toString('utf8'));
  }
}
