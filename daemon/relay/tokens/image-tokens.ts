/**
 * What an image costs as part of a prompt, by model and size (relay.md 14.3).
 */
import { geminiVersion } from '../formats/gemini-generate/thinking.ts';
import type { ImageSize } from './image-size.ts';

/** An image of a prompt; undefined size: a remote file that nobody looked at, or one that cannot be read. */
export interface PromptImage {
  readonly size: ImageSize | undefined;
  /** Address of a remote file, whose size somebody may find out. */
  readonly url?: string;
  /** OpenAI's `detail`. */
  readonly detail: string | undefined;
}

/** The image is cut into tiles of 512 pixels after it was scaled down. */
interface TilePricing {
  readonly kind: 'tiles';
  readonly base: number;
  readonly tile: number;
}

/** The image is covered with patches of 32 pixels. */
interface PatchPricing {
  readonly kind: 'patches';
  readonly factor: number;
}

/** First match counts. Source: relay.md 14.3, tables of tile and patch models. */
const openaiModels: readonly (readonly [RegExp, TilePricing | PatchPricing])[] = [
  [/^gpt-(4\.1|5(\.\d+)?)-mini/, { kind: 'patches', factor: 1.62 }],
  [/^gpt-(4\.1|5(\.\d+)?)-nano/, { kind: 'patches', factor: 2.46 }],
  [/^o4-mini/, { kind: 'patches', factor: 1.72 }],
  [/^gpt-4o-mini/, { kind: 'tiles', base: 2833, tile: 5667 }],
  [/^(gpt-4o|gpt-4\.1|gpt-4\.5|gpt-4-turbo|gpt-4-vision|chatgpt-4o)/, { kind: 'tiles', base: 85, tile: 170 }],
  [/^gpt-5/, { kind: 'tiles', base: 70, tile: 140 }],
  [/^o[13](-|$)/, { kind: 'tiles', base: 75, tile: 150 }],
  [/^computer-use-preview/, { kind: 'tiles', base: 65, tile: 129 }],
];

const tileSide = 512;
const longestSide = 2048;
const shortestSide = 768;
const patchSide = 32;
const maxPatches = 1536;

/** Tokens of one image. */
export function imageTokens(model: string, image: PromptImage): number {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  const pricing = openaiModels.find(([pattern]) => pattern.test(name))?.[1];
  if (pricing?.kind === 'tiles') return tileTokens(pricing, image);
  if (pricing?.kind === 'patches') return Math.ceil(patches(image.size) * pricing.factor);
  if (name.includes('claude')) return claudeTokens(image.size);
  if (name.includes('gemini')) return geminiTokens(image.size);
  return name.startsWith('glm-4v') ? 1047 : 520;
}

function tileTokens({ base, tile }: TilePricing, { size, detail }: PromptImage): number {
  if (detail === 'low') return base;
  if (size === undefined) return 3 * base;
  let { width, height } = size;
  const shrinkLong = longestSide / Math.max(width, height);
  if (shrinkLong < 1) [width, height] = [width * shrinkLong, height * shrinkLong];
  const shrinkShort = shortestSide / Math.min(width, height);
  if (shrinkShort < 1) [width, height] = [width * shrinkShort, height * shrinkShort];
  return base + tile * ceil(width / tileSide) * ceil(height / tileSide);
}

function patches(size: ImageSize | undefined): number {
  if (size === undefined) return maxPatches;
  const { width, height } = size;
  const whole = ceil(width / patchSide) * ceil(height / patchSide);
  if (whole <= maxPatches) return whole;
  let scale = Math.sqrt((maxPatches * patchSide * patchSide) / (width * height));
  const across = (width * scale) / patchSide;
  const down = (height * scale) / patchSide;
  scale *= Math.min(Math.floor(across) / across, Math.floor(down) / down);
  return Math.min(maxPatches, ceil((width * scale) / patchSide) * ceil((height * scale) / patchSide));
}

/** Rounds up, but takes a value within a millionth of a whole number for that number. */
function ceil(value: number): number {
  return Math.ceil(value - 1e-6);
}

function claudeTokens(size: ImageSize | undefined): number {
  return size === undefined ? 1000 : Math.min(1600, Math.ceil((size.width * size.height) / 750));
}

function geminiTokens(size: ImageSize | undefined): number {
  if (size === undefined) return 520;
  if (size.width <= 384 && size.height <= 384) return 258;
  return 258 * Math.min(16, ceil(size.width / 768) * ceil(size.height / 768));
}

/** Tokens of an image that a model made and its upstream did not count; 0 for vendors that charge none (relay.md 14.3). */
export function madeImageTokens(model: string): number {
  const version = geminiVersion(model);
  if (version === undefined) return 0;
  return version >= 2.5 ? 1290 : 258;
}
