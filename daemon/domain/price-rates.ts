/** Token prices made ready for multiplication: ratios are parsed once per price, never per request. */
import { MAX_TOKENS, type Usage } from '../relay/canonical/usage.ts';
import { Decimal } from './decimal.ts';

/** The ratios one token price applies, as numbers for logs and price pages. */
export interface TokenRatios {
  readonly model: number;
  readonly completion: number;
  readonly cache: number;
  readonly cacheCreation: number;
  /** Of cache writes with one hour's life: `cacheCreation` times the factor of the price file. */
  readonly cacheCreation1h: number;
  readonly audio: number;
  readonly audioCompletion: number;
  readonly image: number;
  readonly imageCompletion: number;
}

/** Quota per token of each kind, group ratio left out. Built once per price and tier. */
export class TokenRates {
  readonly ratios: TokenRatios;
  readonly model: Decimal;
  readonly completion: Decimal;
  readonly #scale: number;
  readonly #fresh: bigint;
  readonly #cached: bigint;
  readonly #creation5m: bigint;
  readonly #creation1h: bigint;
  readonly #audio: bigint;
  readonly #image: bigint;
  readonly #output: bigint;
  readonly #audioOutput: bigint;
  readonly #imageOutput: bigint;

  /** @param ratios all finite and not negative; `cacheCreation1h` is derived from the factor. */
  constructor(ratios: Omit<TokenRatios, 'cacheCreation1h'>, cacheCreation1hFactor: number) {
    const creation = Decimal.of(ratios.cacheCreation);
    const creation1h = creation.times(Decimal.of(cacheCreation1hFactor));
    const audio = Decimal.of(ratios.audio);
    this.ratios = { ...ratios, cacheCreation1h: creation1h.toNumber() };
    this.model = Decimal.of(ratios.model);
    this.completion = Decimal.of(ratios.completion);
    const weights = [
      Decimal.ONE,
      Decimal.of(ratios.cache),
      creation,
      creation1h,
      audio,
      Decimal.of(ratios.image),
      this.completion,
      audio.times(Decimal.of(ratios.audioCompletion)),
      Decimal.of(ratios.imageCompletion),
    ].map((weight) => weight.times(this.model));
    const scale = Math.max(...weights.map((weight) => weight.scale));
    const [fresh, cached, w5, w1, audioIn, imageIn, output, audioOut, imageOut] = weights.map((w) => w.digitsAt(scale));
    this.#scale = scale;
    this.#fresh = fresh ?? 0n;
    this.#cached = cached ?? 0n;
    this.#creation5m = w5 ?? 0n;
    this.#creation1h = w1 ?? 0n;
    this.#audio = audioIn ?? 0n;
    this.#image = imageIn ?? 0n;
    this.#output = output ?? 0n;
    this.#audioOutput = audioOut ?? 0n;
    this.#imageOutput = imageOut ?? 0n;
  }

  get isFree(): boolean {
    return this.#fresh === 0n;
  }

  /** `(in + out) * m` of relay.md 15.5. Counts that are no positive integers weigh nothing. */
  cost(usage: Usage): Decimal {
    const cached = countOf(usage.cached);
    const creation5m = countOf(usage.cacheCreation5m);
    const creation1h = countOf(usage.cacheCreation1h);
    // Some vendors count a cached picture among the cached tokens and among those of pictures: it was used once.
    const prompt = countOf(usage.prompt);
    const uncached = prompt - cached - creation5m - creation1h;
    const [audio, image] = partsOf(prompt === 0 ? MAX_TOKENS : uncached, usage.promptAudio, usage.promptImage);
    const fresh = uncached - audio - image;
    const completion = countOf(usage.completion);
    const whole = completion === 0 ? MAX_TOKENS : completion;
    const [audioOutput, imageOutput] = partsOf(whole, usage.completionAudio, usage.completionImage);
    const output = completion - audioOutput - imageOutput;
    let sum = 0n;
    if (fresh > 0) sum += BigInt(fresh) * this.#fresh;
    if (cached > 0) sum += BigInt(cached) * this.#cached;
    if (creation5m > 0) sum += BigInt(creation5m) * this.#creation5m;
    if (creation1h > 0) sum += BigInt(creation1h) * this.#creation1h;
    if (audio > 0) sum += BigInt(audio) * this.#audio;
    if (image > 0) sum += BigInt(image) * this.#image;
    if (output > 0) sum += BigInt(output) * this.#output;
    if (audioOutput > 0) sum += BigInt(audioOutput) * this.#audioOutput;
    if (imageOutput > 0) sum += BigInt(imageOutput) * this.#imageOutput;
    return new Decimal(sum, this.#scale);
  }
}

/** Two parts of a whole, together never more than it. */
function partsOf(whole: number, first: number, second: number): [first: number, second: number] {
  const left = Math.max(0, whole);
  const one = Math.min(countOf(first), left);
  return [one, Math.min(countOf(second), left - one)];
}

/** A count that arithmetic may trust: a whole number from 0 to `MAX_TOKENS`; anything else becomes the nearest such. */
export function countOf(value: number | undefined): number {
  if (value === undefined || !(value > 0)) return 0;
  return value >= MAX_TOKENS ? MAX_TOKENS : Math.floor(value);
}
