/**
 * Edits and variations at an Xinference server, which calls both variations, or inpainting where there is a mask; a
 * variation has no prompt. Source: providers/xinference.md and inference.readthedocs.io, read 2026-11.
 */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { ImageAnswer, ImageRequest } from '../../canonical/image.ts';
import { asNumber, asWord, inexpressible, present } from '../fields.ts';
import { inlineImage, loseQuality, wordsOf } from '../image-file.ts';
import { readMadeImages } from '../openai-images/index.ts';
import { imageAddress } from '../openai-images/request.ts';

const passed = new Set(['negative_prompt', 'kwargs']);

export const xinferenceImages: UpstreamCallFormat<ImageRequest, ImageAnswer> = {
  id: 'xinference-images',
  inlines: ['image'],
  // As its pipelines of diffusers read masks. Source: huggingface.co/docs/diffusers (inpainting), read 2026-11.
  maskShade: () => 'white',

  encodeRequest(asked, scope) {
    const { images, mask, model, prompt, count, size } = asked;
    const [image, another] = images;
    if (image === undefined || another !== undefined) throw inexpressible('image', 'this channel takes one image');
    inlineImage(image, 'image');
    if (mask !== undefined) inlineImage(mask, 'mask');
    loseQuality(asked, scope.lose);
    return {
      body: {
        ...wordsOf(asked.extra, passed, scope.lose),
        model,
        ...present({ prompt: prompt === '' ? undefined : prompt }),
        n: count,
        ...present({ size, image: imageAddress(image), mask_image: mask && imageAddress(mask) }),
        // Its addresses are paths on its own disk.
        response_format: 'b64_json',
      },
      operation: mask === undefined ? 'variations' : 'inpainting',
      encoding: 'form',
    };
  },

  decodeAnswer(body) {
    const images = readMadeImages(body.data);
    if (images.length > 0) return { ...present({ created: asNumber(body.created) }), images, usage: undefined };
    return asWord(body.detail) === undefined ? { kind: 'empty' } : { kind: 'error', body };
  },
};
