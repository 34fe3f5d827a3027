/** Volcengine's Seedream images. Source: providers/volcengine.md, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { ImageAnswer, ImageRequest } from '../../canonical/image.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asNumber, asObject, asObjects, inexpressible, present } from '../fields.ts';
import { loseQuality } from '../image-file.ts';
import { lose } from '../loss.ts';
import { readMadeImages } from '../openai-images/index.ts';
import { imageAddress } from '../openai-images/request.ts';
import { readImageUsage } from '../openai-images/usage.ts';

export const volcengineImages: UpstreamCallFormat<ImageRequest, ImageAnswer> = {
  id: 'volcengine-images',

  encodeRequest(asked, scope) {
    if (asked.mask !== undefined) throw inexpressible('mask', 'masks cannot be sent to this channel');
    const addresses = asked.images.map((image): Json => {
      const address = imageAddress(image);
      if (address === undefined) throw inexpressible('images', 'files by id cannot be sent to this channel');
      return address;
    });
    loseQuality(asked, scope.lose);
    const [only, another] = addresses;
    const several: JsonObject =
      asked.count > 1
        ? { sequential_image_generation: 'auto', sequential_image_generation_options: { max_images: asked.count } }
        : {};
    // A whole image is an event for whoever asked for a stream.
    const { stream: _, partial_images, user, ...own } = asked.extra;
    lose(scope, { partial_images, user });
    return {
      body: {
        // The vendor marks its images unless it is told not to.
        watermark: false,
        ...several,
        ...own,
        model: asked.model,
        prompt: asked.prompt,
        ...present({
          image: another === undefined ? only : addresses,
          size: asked.size === 'auto' ? undefined : asked.size,
          response_format: asked.delivery,
        }),
      },
    };
  },

  decodeAnswer(body) {
    const images = readMadeImages(body.data);
    if (images.length > 0) {
      return { ...present({ created: asNumber(body.created) }), images, usage: readImageUsage(body.usage) };
    }
    // Every image failed for a reason of its own: the first speaks for all.
    const failed = asObjects(body.data).map((entry) => asObject(entry.error));
    const [first] = failed.filter((error) => error !== undefined);
    if (first !== undefined) return { kind: 'error', body: { error: first } };
    return body.error === undefined ? { kind: 'empty' } : { kind: 'error', body };
  },
};
