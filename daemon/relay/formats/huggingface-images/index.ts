/** Text to image at Hugging Face's own inference provider. Source: providers/huggingface.md, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import { type ImageAnswer, type ImageRequest, pixelsOf } from '../../canonical/image.ts';
import { inexpressible } from '../fields.ts';
import { readImageFile, wordsOf } from '../image-file.ts';

const passed = new Set(['negative_prompt', 'guidance_scale', 'num_inference_steps', 'scheduler', 'seed']);

export const huggingfaceImages: UpstreamCallFormat<ImageRequest, ImageAnswer> = {
  id: 'huggingface-images',

  encodeRequest(asked, scope) {
    // Whoever is named behind a colon takes bodies of its own making.
    if (/:(?!hf-inference$)/.test(asked.model)) throw inexpressible('model', 'only hf-inference makes images here');
    if (asked.quality !== undefined) scope.lose('quality');
    const pixels = pixelsOf(asked.size);
    const parameters = { ...wordsOf(asked.extra, passed, scope.lose), ...pixels };
    return { body: { inputs: asked.prompt, ...(Object.keys(parameters).length === 0 ? {} : { parameters }) } };
  },

  decodeReply: readImageFile,

  decodeAnswer: (body) => (body.error === undefined ? { kind: 'empty' } : { kind: 'error', body }),
};
