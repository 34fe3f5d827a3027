/** What the sound of a stream costs beside its words. */
import type { Price } from '../domain/pricing.ts';
import type { CountedOutput } from '../relay/canonical/usage.ts';

export class SoundRate {
  /** What a token that is heard costs, in tokens of words. */
  readonly #weight: number;

  constructor(price: Price) {
    const { audio, audioCompletion, completion } =
      price.mode === 'token' ? price.rates.ratios : { audio: 1, audioCompletion: 1, completion: 1 };
    this.#weight = completion > 0 ? (audio * audioCompletion) / completion : 1;
  }

  /** All output in tokens of words. */
  inWords({ completion, completionAudio }: CountedOutput): number {
    return completion + completionAudio * (this.#weight - 1);
  }
}
