/** NVIDIA's image models, each family with words of its own. Source: providers/nvidia-nim.md, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import { type ImageAnswer, type ImageRequest, nearestRatio, pixelsOf } from '../../canonical/image.ts';
import type { JsonObject } from '../../json.ts';
import { asObjects, asWord, inexpressible, present } from '../fields.ts';
import { inlineImage, loseQuality, loseSizeWord, wordsOf } from '../image-file.ts';
import { imageAddress } from '../openai-images/request.ts';
import { errorOf } from '../vendor-chat.ts';

const passed = new Set(['seed', 'steps', 'cfg_scale', 'mode', 'sampler', 'negative_prompt', 'aspect_ratio']);
const ratios = ['1:1', '16:9', '9:16', '5:4', '4:5', '3:2', '2:3', '21:9', '9:21'];

/** Stability's first generation takes weighted prompts and has one size. */
function takesWeights(model: string): boolean {
  return /stable-diffusion-xl|sdxl/.test(model);
}

/** Stability's third generation, and Kontext, which edits, are told proportions. */
function takesRatios(model: string): boolean {
  return /stable-diffusion-3|kontext/.test(model);
}

function promptOf({ model, prompt }: ImageRequest, negative: JsonObject[string] | undefined): JsonObject {
  if (!takesWeights(model)) return { prompt, ...present({ negative_prompt: negative }) };
  const against = typeof negative === 'string' ? [{ text: negative, weight: -1 }] : [];
  return { text_prompts: [{ text: prompt, weight: 1 }, ...against] };
}

export const nvidiaImages: UpstreamCallFormat<ImageRequest, ImageAnswer> = {
  id: 'nvidia-images',
  inlines: ['image'],

  encodeRequest(asked, scope) {
    const { model, images, size } = asked;
    if (asked.mask !== undefined) throw inexpressible('mask', 'masks cannot be sent to this channel');
    const [image, another] = images;
    if (another !== undefined) throw inexpressible('image', 'this model edits one image');
    if (image !== undefined) inlineImage(image, 'image');
    loseQuality(asked, scope.lose);
    loseSizeWord(asked, scope.lose);
    const { negative_prompt: negative, ...own } = wordsOf(asked.extra, passed, scope.lose);
    const pixels = pixelsOf(size);
    if (pixels !== undefined && takesWeights(model)) scope.lose('size');
    const measures = takesRatios(model) ? { aspect_ratio: nearestRatio(size, ratios) } : (pixels ?? {});
    return {
      body: {
        ...promptOf(asked, negative),
        ...(takesWeights(model) ? {} : present({ ...measures })),
        ...(image === undefined ? {} : present({ image: imageAddress(image) })),
        ...own,
      },
    };
  },

  decodeAnswer(body) {
    const artifacts = asObjects(body.artifacts);
    const images = [...artifacts.map(({ base64 }) => base64), body.image].flatMap((data) => {
      const inline = asWord(data);
      return inline === undefined ? [] : [{ data: inline }];
    });
    if (images.length > 0) return { images, usage: undefined };
    const reason = artifacts.map((artifact) => asWord(artifact.finishReason)).find((word) => word !== undefined);
    if (reason === undefined) return { kind: 'empty' };
    if (reason !== 'CONTENT_FILTERED') return { kind: 'error', body: errorOf(reason, `no image was made: ${reason}`) };
    return { kind: 'error', body: errorOf('content_filter', 'the image was filtered', 400) };
  },
};
