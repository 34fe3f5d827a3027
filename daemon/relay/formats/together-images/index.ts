/** Together's images: OpenAI's answer to a question in other words. Source: providers/together.md, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import { type ImageAnswer, type ImageRequest, pixelsOf } from '../../canonical/image.ts';
import type { JsonObject } from '../../json.ts';
import { isChatError } from '../../native-profile-chat.ts';
import { inexpressible, present } from '../fields.ts';
import { loseQuality, loseSizeWord, wordsOf } from '../image-file.ts';
import { readMadeImages } from '../openai-images/index.ts';
import { imageAddress } from '../openai-images/request.ts';

const passed = new Set([
  'steps',
  'seed',
  'negative_prompt',
  'output_format',
  'guidance_scale',
  'width',
  'height',
  'image_loras',
  'disable_safety_checker',
]);

function sources({ images, mask }: ImageRequest): JsonObject {
  if (mask !== undefined) throw inexpressible('mask', 'masks cannot be sent to this channel');
  const addresses = images.map((image) => {
    const address = imageAddress(image);
    if (address === undefined) throw inexpressible('images', 'files by id cannot be sent to this channel');
    return address;
  });
  const [only, another] = addresses;
  if (only === undefined) return {};
  return another === undefined ? { image_url: only } : { reference_images: addresses };
}

export const togetherImages: UpstreamCallFormat<ImageRequest, ImageAnswer> = {
  id: 'together-images',

  encodeRequest(asked, scope) {
    loseQuality(asked, scope.lose);
    loseSizeWord(asked, scope.lose);
    const delivery = asked.delivery === 'b64_json' ? 'base64' : asked.delivery;
    return {
      body: {
        ...wordsOf(asked.extra, passed, scope.lose),
        model: asked.model,
        prompt: asked.prompt,
        n: asked.count,
        ...pixelsOf(asked.size),
        ...sources(asked),
        ...present({ response_format: delivery }),
      },
    };
  },

  decodeAnswer(body) {
    const images = readMadeImages(body.data);
    if (images.length === 0) return isChatError(body) ? { kind: 'error', body } : { kind: 'empty' };
    return { images, usage: undefined };
  },
};
