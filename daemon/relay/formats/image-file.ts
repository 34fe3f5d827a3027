/** Images as vendors send and take them in other forms than an address or a member of a JSON object. */
import type { CallReply } from '../call-format.ts';
import { type ImageAnswer, type ImageInput, type ImageRequest, type MadeImage, pixelsOf } from '../canonical/image.ts';
import type { Json, JsonObject } from '../json.ts';
import { inexpressible } from './fields.ts';
import { sourceOfUrl } from './media.ts';

/** The answer of a vendor that sends the image itself; undefined for any other content. */
export function readImageFile({ body, contentType }: CallReply): ImageAnswer | undefined {
  const mediaType = /^image\/[\w.+-]+/i.exec(contentType)?.[0].toLowerCase();
  if (mediaType === undefined || body.length === 0) return undefined;
  return { images: [{ data: body.toString('base64'), mediaType }], usage: undefined };
}

/** An image that a vendor names by its address, or writes as a data URL. */
export function imageAt(address: string): MadeImage {
  const source = sourceOfUrl(address);
  return source.kind === 'inline' ? { data: source.data, mediaType: source.mediaType } : { url: address };
}

/** The base64 of an image that must be sent inline. Throws `convert_request_failed` for one that is elsewhere. */
export function inlineImage(image: ImageInput, field: string): string {
  if (image.kind === 'inline') return image.data;
  throw inexpressible(field, 'images by address or id cannot be sent to this channel');
}

/** Notes a size in a word, such as `2K`, where the vendor is told pixels or proportions. */
export function loseSizeWord({ size }: Pick<ImageRequest, 'size'>, lose: (field: string) => void): void {
  if (size !== undefined && size !== 'auto' && pixelsOf(size) === undefined) lose('size');
}

/** Notes a quality where the vendor has no word for any; `auto` leaves it to the vendor. */
export function loseQuality({ quality }: Pick<ImageRequest, 'quality'>, lose: (field: string) => void): void {
  if (quality !== undefined && quality !== 'auto') lose('quality');
}

/** The members of a request that the vendor has a word for; the others are noted, but for what is left to the vendor. */
export function wordsOf(extra: JsonObject, known: ReadonlySet<string>, lose: (field: string) => void): JsonObject {
  const words: JsonObject = {};
  for (const [name, value] of Object.entries(extra)) {
    if (known.has(name)) words[name] = value;
    else if (value !== 'auto') lose(name);
  }
  return words;
}

/** The words with numbers where a form could only write texts. */
export function withNumbers(words: JsonObject, numeric: ReadonlySet<string>): JsonObject {
  const entries = Object.entries(words).map(([name, value]): [string, Json] => {
    const isWritten = numeric.has(name) && typeof value === 'string' && value.trim() !== '';
    return [name, isWritten && Number.isFinite(Number(value)) ? Number(value) : value];
  });
  return Object.fromEntries(entries);
}
