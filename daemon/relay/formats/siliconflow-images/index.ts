/** SiliconFlow's images. Source: providers/siliconflow.md, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import { type ImageAnswer, type ImageRequest, pixelsOf } from '../../canonical/image.ts';
import type { JsonObject } from '../../json.ts';
import { inexpressible, present } from '../fields.ts';
import { loseQuality, loseSizeWord } from '../image-file.ts';
import { lose } from '../loss.ts';
import { readMadeImages } from '../openai-images/index.ts';
import { imageAddress } from '../openai-images/request.ts';

/** Where the first, second and third image to be edited stand. */
const places = ['image', 'image2', 'image3'] as const;

/** Flux's professional models are told their sides, the others the size as one word. */
function measures({ model, size }: ImageRequest): JsonObject {
  const pixels = pixelsOf(size);
  if (pixels === undefined) return {};
  return /flux[^/]*-pro/i.test(model) ? { ...pixels } : present({ image_size: size });
}

export const siliconflowImages: UpstreamCallFormat<ImageRequest, ImageAnswer> = {
  id: 'siliconflow-images',

  encodeRequest(asked, scope) {
    if (asked.mask !== undefined) throw inexpressible('mask', 'masks cannot be sent to this channel');
    if (asked.images.length > places.length) throw inexpressible('image', 'this channel edits at most three images');
    const images: JsonObject = {};
    for (const [index, image] of asked.images.entries()) {
      const address = imageAddress(image);
      if (address === undefined) throw inexpressible('images', 'files by id cannot be sent to this channel');
      images[places[index] ?? 'image'] = address;
    }
    loseQuality(asked, scope.lose);
    loseSizeWord(asked, scope.lose);
    // A whole image is an event for whoever asked for a stream.
    const { stream: _, partial_images, user, ...own } = asked.extra;
    lose(scope, { partial_images, user });
    return {
      body: {
        ...own,
        ...images,
        model: asked.model,
        prompt: asked.prompt,
        batch_size: asked.count,
        ...measures(asked),
      },
    };
  },

  decodeAnswer(body) {
    const images = readMadeImages(Array.isArray(body.images) ? body.images : body.data);
    return images.length === 0 ? { kind: 'empty' } : { images, usage: undefined };
  },
};
