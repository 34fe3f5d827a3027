/** Images that a request for an edit names by address, for vendors that must be given their bytes (relay.md 17.7). */
import type { ImageInput } from '../../canonical/image.ts';
import type { FetchedMedium, RemoteMedium } from '../../canonical/remote-media.ts';
import type { Json, JsonObject } from '../../json.ts';
import { some } from '../fields.ts';
import { decodeImageRequest, imageAddress } from './request.ts';

/** Those images, each address once. Throws `invalid_request` for what is no image. */
export function listRemoteImages(body: JsonObject): RemoteMedium[] {
  const { images, mask } = decodeImageRequest(body);
  const urls = [...images, ...some(mask)].flatMap((image) => (image.kind === 'url' ? [image.url] : []));
  return [...new Set(urls)].map((url, index) => ({ kind: 'image', url, place: index + 1 }));
}

/** The request with what was fetched in place of its address. */
export function inlineImages(body: JsonObject, fetched: ReadonlyMap<string, FetchedMedium>): JsonObject {
  const { images, mask } = decodeImageRequest(body);
  if (images.length === 0 && mask === undefined) return body;
  const { image: _, ...rest } = body;
  const shown = (image: ImageInput) => shownImage(image, fetched);
  return { ...rest, images: images.map(shown), ...(mask === undefined ? {} : { mask: shown(mask) }) };
}

function shownImage(image: ImageInput, fetched: ReadonlyMap<string, FetchedMedium>): Json {
  if (image.kind === 'file') return { file_id: image.id };
  const file = image.kind === 'url' ? fetched.get(image.url) : undefined;
  return file === undefined ? (imageAddress(image) ?? '') : `data:${file.mediaType};base64,${file.data}`;
}
