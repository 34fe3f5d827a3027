/** Images between the formats: a prompt, and for edits images, in; images out (relay.md 5.6). */
import type { JsonObject } from '../json.ts';
import { sumUsage, type Usage } from './usage.ts';

/** An image of a request. `file`: kept by the vendor under an id. */
export type ImageInput =
  | { readonly kind: 'inline'; readonly mediaType: string; readonly data: string }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'file'; readonly id: string };

/** How a vendor's masks show what may change; the rest has the other shade. */
export type MaskShade = 'black' | 'white';

export interface ImageRequest {
  readonly model: string;
  readonly prompt: string;
  readonly count: number;
  /** `WIDTHxHEIGHT`, `auto` or `1K`, `2K`, `4K`. */
  readonly size?: string;
  readonly quality?: string;
  readonly delivery?: 'url' | 'b64_json';
  /** What is to be edited; none for a new image. */
  readonly images: readonly ImageInput[];
  readonly mask?: ImageInput;
  /** Every other member of the request. */
  readonly extra: JsonObject;
}

/** One image of an answer: inline or by address. */
export interface MadeImage {
  readonly data?: string;
  readonly url?: string;
  readonly mediaType?: string;
  readonly revisedPrompt?: string;
}

export interface ImageAnswer {
  /** Unix seconds. */
  readonly created?: number;
  readonly images: readonly MadeImage[];
  readonly usage: Usage | undefined;
}

/** Width and height in pixels; undefined for words and anything else. */
export function pixelsOf(size: string | undefined): { readonly width: number; readonly height: number } | undefined {
  const found = /^(\d{2,5})x(\d{2,5})$/.exec(size ?? '');
  return found === null ? undefined : { width: Number(found[1]), height: Number(found[2]) };
}

/** The ratio among `offered`, written `W:H`, that comes nearest to the size; undefined for a size without pixels. */
export function nearestRatio(size: string | undefined, offered: readonly string[]): string | undefined {
  const pixels = pixelsOf(size);
  if (pixels === undefined) return undefined;
  const wanted = Math.log(pixels.width / pixels.height);
  const distance = (ratio: string) => {
    const [width = 1, height = 1] = ratio.split(':').map(Number);
    return Math.abs(Math.log(width / height) - wanted);
  };
  return offered.reduce<string | undefined>(
    (best, ratio) => (best === undefined || distance(ratio) < distance(best) ? ratio : best),
    undefined,
  );
}

/** Requests for at most so many images each, with seeds of their own: the same one would make the same images again. */
export function splitImages(asked: ImageRequest, atOnce: number): ImageRequest[] {
  const pieces: ImageRequest[] = [];
  for (let made = 0; made < asked.count; made += atOnce) {
    const extra = made === 0 ? asked.extra : withFurtherSeed(asked.extra, made);
    pieces.push({ ...asked, extra, count: Math.min(asked.count - made, atOnce) });
  }
  return pieces;
}

/** Small seeds go up and large ones down, so that none leaves the range of its vendor; zero and less is chance for most. */
function withFurtherSeed(extra: JsonObject, by: number): JsonObject {
  const { seed } = extra;
  const given = typeof seed === 'string' || typeof seed === 'number' ? Number(seed) : 0;
  if (!Number.isInteger(given) || given <= 0) return extra;
  const further = given > 1000 ? given - by : given + by;
  return { ...extra, seed: typeof seed === 'string' ? String(further) : further };
}

/** All images that came, in the order in which they were asked for. */
export function joinImages(said: readonly ImageAnswer[]): ImageAnswer {
  const created = said[0]?.created;
  const images = said.flatMap((one) => one.images);
  const usage = sumUsage(said.map((one) => one.usage));
  return { ...(created === undefined ? {} : { created }), images, usage };
}
