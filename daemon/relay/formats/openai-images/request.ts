/** Reads a request for images: new ones by JSON, edits by JSON or by the members of a form. */
import type { ImageInput, ImageRequest } from '../../canonical/image.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asNumber, asObject, asOneOf, asText, asWord, invalid, present, remainder } from '../fields.ts';
import { sniffImage, sourceOfUrl } from '../media.ts';

const known = new Set(['model', 'prompt', 'n', 'size', 'quality', 'response_format', 'image', 'images', 'mask']);

/** An image as an address, a data URL, or an object that holds one of them or a file's id. */
function readImage(value: Json, field: string): ImageInput {
  const own = asObject(value);
  const nested = asObject(own?.image_url);
  const url = asWord(value) ?? asWord(own?.image_url) ?? asWord(nested?.url) ?? asWord(own?.url);
  const id = asWord(own?.file_id);
  if (url === undefined && id !== undefined) return { kind: 'file', id };
  if (url === undefined) throw invalid(field, 'must name an image by its address or as a data URL');
  const source = sourceOfUrl(url);
  if (source.kind !== 'inline') return { kind: 'url', url };
  const { mediaType, data } = source;
  return {
    kind: 'inline',
    mediaType: mediaType.startsWith('image/') ? mediaType : (sniffImage(data) ?? mediaType),
    data,
  };
}

function readImages(body: JsonObject): ImageInput[] {
  const value = body.images ?? body.image;
  if (value === undefined || value === null) return [];
  const list = Array.isArray(value) ? value : [value];
  return list.map((entry, index) => readImage(entry, `images.${index}`));
}

export function decodeImageRequest(body: JsonObject): ImageRequest {
  const mask = body.mask === undefined || body.mask === null ? undefined : readImage(body.mask, 'mask');
  return present({
    model: asWord(body.model) ?? '',
    prompt: asText(body.prompt) ?? '',
    count: asNumber(body.n) ?? 1,
    size: asWord(body.size),
    quality: asWord(body.quality),
    delivery: asOneOf(body.response_format, ['url', 'b64_json']),
    images: readImages(body),
    mask,
    extra: remainder(body, known),
  });
}

/** An image as vendors take it that read addresses and data URLs alike. */
export function imageAddress(image: ImageInput): string | undefined {
  if (image.kind === 'url') return image.url;
  return image.kind === 'inline' ? `data:${image.mediaType};base64,${image.data}` : undefined;
}
