/** Bare samples: sound without a container, whose length only their number tells. */

/** 24 kHz, 16 bit, mono: what speech is where nothing tells otherwise. */
export const SAMPLES_PER_SECOND = 24_000;
export const BYTES_PER_SAMPLE = 2;
export const SAMPLE_BYTES_PER_SECOND = SAMPLES_PER_SECOND * BYTES_PER_SAMPLE;

/** Whether a media type is that of samples; it may name its rate behind. */
export function isSamples(mediaType: string): boolean {
  return /^audio\/(?:pcm|l16)/i.test(mediaType);
}
