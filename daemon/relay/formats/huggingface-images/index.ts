/**
 * Text to image and image to image at Hugging Face's own inference provider. Source: providers/huggingface.md; the
 * second task: the schemas of @huggingface/tasks, read 2026-11.
 */
import type { UpstreamCallFormat } from '../../call-format.ts';
import { type ImageAnswer, type ImageRequest, pixelsOf } from '../../canonical/image.ts';
import type { Scope } from '../../format.ts';
import type { JsonObject } from '../../json.ts';
import { inexpressible, present } from '../fields.ts';
import { inlineImage, loseQuality, loseSizeWord, readImageFile, withNumbers, wordsOf } from '../image-file.ts';

const numeric = new Set(['guidance_scale', 'num_inference_steps', 'seed']);
const passed = {
  making: new Set([...numeric, 'negative_prompt', 'scheduler']),
  editing: new Set([...numeric, 'negative_prompt']),
} as const;

function parametersOf(asked: ImageRequest, scope: Scope): JsonObject {
  const task = asked.images.length === 0 ? 'making' : 'editing';
  const words = withNumbers(wordsOf(asked.extra, passed[task], scope.lose), numeric);
  const pixels = pixelsOf(asked.size);
  if (task === 'making') return { ...words, ...pixels };
  return { ...words, prompt: asked.prompt, ...present({ target_size: pixels && { ...pixels } }) };
}

/** The image that is edited; undefined for a new one. */
function sourceOf({ images, mask }: ImageRequest): string | undefined {
  if (mask !== undefined) throw inexpressible('mask', 'masks cannot be sent to this channel');
  const [image, another] = images;
  if (another !== undefined) throw inexpressible('image', 'this channel edits one image');
  return image && inlineImage(image, 'image');
}

export const huggingfaceImages: UpstreamCallFormat<ImageRequest, ImageAnswer> = {
  id: 'huggingface-images',
  inlines: ['image'],

  encodeRequest(asked, scope) {
    // Whoever is named behind a colon takes bodies of its own making.
    if (/:(?!hf-inference$)/.test(asked.model)) throw inexpressible('model', 'only hf-inference makes images here');
    loseQuality(asked, scope.lose);
    loseSizeWord(asked, scope.lose);
    const inputs = sourceOf(asked) ?? asked.prompt;
    const parameters = parametersOf(asked, scope);
    return { body: { inputs, ...(Object.keys(parameters).length === 0 ? {} : { parameters }) } };
  },

  decodeReply: readImageFile,

  decodeAnswer: (body) => (body.error === undefined ? { kind: 'empty' } : { kind: 'error', body }),
};
