/** OpenAI's images towards clients: one answer for new images, edits and variations. */
import type { CallAnswer, ClientCallFormat, Consumed } from '../../call-format.ts';
import type { ImageAnswer, ImageRequest, MadeImage } from '../../canonical/image.ts';
import type { FetchedMedium } from '../../canonical/remote-media.ts';
import type { FormatId } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asObject, asText, asWord, present } from '../fields.ts';
import { decodeImageRequest } from './request.ts';
import { encodeImageUsage, readImageUsage, usageOfImages } from './usage.ts';

function clientFormat(id: FormatId): ClientCallFormat<ImageRequest, ImageAnswer> {
  return { id, decodeRequest: decodeImageRequest, encodeAnswer };
}

function encodeAnswer(answer: ImageAnswer, asked: ImageRequest, scope: { now(): number }): CallAnswer {
  const { images, usage } = answer;
  const json = (data: readonly MadeImage[]): JsonObject => ({
    created: answer.created ?? scope.now(),
    data: data.map(encodeImage),
    ...(usage === undefined ? {} : { usage: encodeImageUsage(usage) }),
  });
  return imageAnswer({ json, images }, asked, usage);
}

function encodeImage({ data, url, revisedPrompt }: MadeImage): JsonObject {
  return present({ url: data === undefined ? url : undefined, b64_json: data, revised_prompt: revisedPrompt });
}

/** An answer whose images are fetched where the client wants them inline and the vendor only names them. */
function imageAnswer(
  made: { json: (images: readonly MadeImage[]) => JsonObject; images: readonly MadeImage[] },
  asked: Pick<ImageRequest, 'size' | 'quality' | 'delivery'>,
  usage: ImageAnswer['usage'],
): CallAnswer {
  const { json, images } = made;
  const write = (shown: readonly MadeImage[]) => Buffer.from(JSON.stringify(json(shown)));
  const facts = { contentType: 'application/json', ...imagesConsumed({ images, usage }, asked) };
  return {
    ...facts,
    body: write(images),
    files: asked.delivery === 'b64_json' ? missing(images) : [],
    withFiles: (files) => ({ ...facts, body: write(images.map((one) => withFile(one, files))) }),
  };
}

/** What images took, and what they look like for their price. */
export function imagesConsumed(
  { images, usage }: Pick<ImageAnswer, 'images' | 'usage'>,
  { size, quality }: Pick<ImageRequest, 'size' | 'quality'>,
): Required<Consumed> {
  return { usage: usageOfImages(usage, images.length), image: { count: images.length, size, quality } };
}

function missing(images: readonly MadeImage[]): string[] {
  return images.flatMap(({ data, url }) => (data === undefined && url !== undefined ? [url] : []));
}

function withFile(image: MadeImage, files: ReadonlyMap<string, FetchedMedium>): MadeImage {
  const file = image.url === undefined ? undefined : files.get(image.url);
  return file === undefined || image.data !== undefined ? image : { ...image, data: file.data };
}

/** The images of a list in OpenAI's form; what failed alone is left out. */
export function readMadeImages(list: Json | undefined): MadeImage[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry) => {
    const own = asObject(entry);
    const data = asWord(own?.b64_json);
    const url = asWord(own?.url);
    if (data === undefined && url === undefined) return [];
    return [present({ data, url, revisedPrompt: asText(own?.revised_prompt), mediaType: asWord(own?.mime_type) })];
  });
}

/** A body in OpenAI's own form: it passes as it is, but for files that the client wants inline. Undefined: no images. */
export function passedImages(bytes: Buffer, body: JsonObject, asked: JsonObject): CallAnswer | undefined {
  const images = readMadeImages(body.data);
  if (images.length === 0) return undefined;
  const usage = readImageUsage(body.usage);
  const { size, quality, delivery } = decodeImageRequest({ ...asked, images: [], image: null, mask: null });
  const wish = present({ size: asWord(body.size) ?? size, quality: asWord(body.quality) ?? quality, delivery });
  const json = (shown: readonly MadeImage[]) => ({ ...body, data: shown.map(encodeImage) });
  return { ...imageAnswer({ json, images }, wish, usage), body: bytes };
}

export const openaiImages = clientFormat('openai-images');
export const openaiImageEdits = clientFormat('openai-image-edits');
export const openaiImageVariations = clientFormat('openai-image-variations');
