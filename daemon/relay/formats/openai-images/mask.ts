/** The mask of a request for an edit, for whoever paints it anew for vendors that read other ones. */
import type { ImageInput } from '../../canonical/image.ts';
import type { JsonObject } from '../../json.ts';
import { decodeImageRequest, imageAddress } from './request.ts';

/** The mask; undefined for a request without one. Throws `invalid_request` for what is no image. */
export function maskOf(body: JsonObject): ImageInput | undefined {
  return decodeImageRequest({ mask: body.mask ?? null }).mask;
}

/** The request with another mask. */
export function withMask(body: JsonObject, mask: ImageInput): JsonObject {
  return { ...body, mask: imageAddress(mask) ?? null };
}
