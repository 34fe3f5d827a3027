/**
 * How many tokens a request's prompt has: an estimate before the call, the best count there is for a bill
 * (relay.md 14.3).
 */
import type { FormatId } from '../format.ts';
import type { JsonObject } from '../json.ts';
import { estimateText, tokenFamilyOf } from './estimate.ts';
import type { ImageSize } from './image-size.ts';
import { imageTokens } from './image-tokens.ts';
import { type PromptParts, readPrompt } from './prompt-parts.ts';
import type { TokenCounter } from './token-counter.ts';

/** One request, as its client sent it. */
export interface PromptRequest {
  readonly format: FormatId;
  readonly model: string;
  readonly body: JsonObject;
}

function mediaTokens(model: string, parts: PromptParts): number {
  return parts.images.reduce((sum, image) => sum + imageTokens(model, image), parts.fixed);
}

/** Characters that are looked at for an estimate; they speak for those behind them. */
const READ_LENGTH = 1024 * 1024;

/** Estimated tokens of the prompt, at once. Costs about two microseconds for each kilobyte of text. */
export function estimatePrompt({ format, model, body }: PromptRequest): number {
  const parts = readPrompt(format, body);
  const family = tokenFamilyOf(model);
  let tokens = 0;
  let length = 0;
  let read = 0;
  for (const text of parts.texts) {
    length += text.length;
    if (read >= READ_LENGTH) continue;
    const piece = text.slice(0, READ_LENGTH - read);
    tokens += estimateText(family, piece);
    read += piece.length;
  }
  return (length > read ? Math.ceil((tokens * length) / read) : tokens) + mediaTokens(model, parts);
}

/** Finds the sizes of remote images; those that cannot be found out are left out. Never rejects. */
export type ImageSizes = (urls: readonly string[]) => Promise<ReadonlyMap<string, ImageSize>>;

/** Tokens of the prompt, by vocabulary where the model has one; remote images by their size where somebody may look. */
export async function countPrompt(
  counter: TokenCounter,
  { format, model, body }: PromptRequest,
  sizesOf?: ImageSizes,
): Promise<number> {
  const parts = readPrompt(format, body);
  const tokens = await counter.count(model, parts.texts);
  const remote = parts.images.flatMap(({ size, url }) => (size === undefined && url !== undefined ? [url] : []));
  if (sizesOf === undefined || remote.length === 0) return tokens + mediaTokens(model, parts);
  const sizes = await sizesOf(remote);
  const images = parts.images.map((image) => ({ ...image, size: image.size ?? sizes.get(image.url ?? '') }));
  return tokens + mediaTokens(model, { ...parts, images });
}
