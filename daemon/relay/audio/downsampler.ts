/** Samples at 24 kHz for vendors that hear 16 kHz, piece by piece: mono, 16 bits, little-endian. */

/** Two samples come out for three that go in. */
const step = 1.5;
/** Samples on either side that a new one is made of. */
const reach = 16;
/** What is kept, as a part of the old rate: everything above half of the new one would come back as noise. */
const cutoff = 0.3;

/** How much each sample around a place counts; new places lie on a sample or half way between two. */
const onSample = weightsAt(0);
const between = weightsAt(0.5);

/** A low-pass filter (sinc in a Hann window), centred so far behind the sample in the middle; the sum is 1. */
function weightsAt(offset: number): Float64Array {
  const weights = Array.from({ length: 2 * reach + 1 }, (_, index) => {
    const distance = index - reach - offset;
    const angle = 2 * Math.PI * cutoff * distance;
    const sinc = distance === 0 ? 1 : Math.sin(angle) / angle;
    const inside = Math.abs(distance) / (reach + 1);
    return inside >= 1 ? 0 : sinc * (0.5 + 0.5 * Math.cos(Math.PI * inside));
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return Float64Array.from(weights, (weight) => weight / sum);
}

/** One stream of sound. What comes out is the same however what goes in is cut; it is 0.7 ms behind. */
export class Downsampler {
  /** Bytes that are still needed. */
  #bytes: Buffer = Buffer.alloc(2 * reach);
  /** The next place, in samples from the first that is kept. */
  #place = reach;

  push(piece: Buffer): Buffer {
    const bytes = this.#bytes.length === 0 ? piece : Buffer.concat([this.#bytes, piece]);
    const samples = Math.floor(bytes.length / 2);
    const last = samples - 1 - reach;
    const count = Math.max(0, Math.floor((last - this.#place) / step) + 1);
    const heard = samplesOf(bytes, samples);
    const made = Buffer.allocUnsafe(2 * count);
    for (let index = 0; index < count; index += 1) {
      made.writeInt16LE(sampleAt(heard, this.#place), 2 * index);
      this.#place += step;
    }
    const done = Math.max(0, Math.floor(this.#place) - reach);
    this.#place -= done;
    this.#bytes = bytes.subarray(2 * done);
    return made;
  }
}

/** Sixteen megabytes of sound may come at once, of which each sample is read 22 times. */
function samplesOf(bytes: Buffer, count: number): Int16Array {
  const samples = new Int16Array(count);
  for (let at = 0; at < count; at += 1) samples[at] = bytes.readInt16LE(2 * at);
  return samples;
}

function sampleAt(samples: Int16Array, place: number): number {
  const middle = Math.floor(place);
  const weights = middle === place ? onSample : between;
  const first = middle - reach;
  // A processor adds to several sums at once; to one, each sample waits for the one before.
  let one = 0;
  let two = 0;
  let three = 0;
  for (let at = 0; at < weights.length; at += 3) {
    one += (weights[at] ?? 0) * (samples[first + at] ?? 0);
    two += (weights[at + 1] ?? 0) * (samples[first + at + 1] ?? 0);
    three += (weights[at + 2] ?? 0) * (samples[first + at + 2] ?? 0);
  }
  return Math.max(-32_768, Math.min(32_767, Math.round(one + two + three)));
}
