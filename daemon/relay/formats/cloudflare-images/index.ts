/** Workers AI's image models: some answer with the file, some with JSON. Source: providers/cloudflare.md, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import { type ImageAnswer, type ImageRequest, pixelsOf } from '../../canonical/image.ts';
import type { Scope } from '../../format.ts';
import type { JsonObject } from '../../json.ts';
import { asObject, asWord, inexpressible } from '../fields.ts';
import { imageAt, inlineImage, loseQuality, loseSizeWord, readImageFile, wordsOf } from '../image-file.ts';
import { imageAddress } from '../openai-images/request.ts';

const passed = new Set(['negative_prompt', 'num_steps', 'steps', 'strength', 'guidance', 'seed']);
/** Images that a model of the second Flux generation looks at. */
const mostReferences = 4;

/** The second Flux generation takes nothing but forms. */
function takesForm(model: string): boolean {
  return model.includes('/flux-2-');
}

/** The first fast one has one size. */
function hasSizes(model: string): boolean {
  return !model.endsWith('/flux-1-schnell');
}

function measures({ model, size }: ImageRequest, scope: Scope): JsonObject {
  const pixels = pixelsOf(size);
  if (pixels === undefined) return {};
  if (hasSizes(model)) return { width: pixels.width, height: pixels.height };
  scope.lose('size');
  return {};
}

function references({ images, mask }: ImageRequest): JsonObject {
  if (mask !== undefined) throw inexpressible('mask', 'masks cannot be sent to this model');
  if (images.length > mostReferences) {
    throw inexpressible('image', `this model looks at most at ${mostReferences} images`);
  }
  const members: JsonObject = {};
  for (const [index, image] of images.entries()) {
    inlineImage(image, 'image');
    members[`input_image_${index}`] = imageAddress(image) ?? '';
  }
  return members;
}

function source({ images, mask }: ImageRequest): JsonObject {
  const [image, another] = images;
  if (another !== undefined) throw inexpressible('image', 'this model edits one image');
  const members: JsonObject = image === undefined ? {} : { image_b64: inlineImage(image, 'image') };
  if (mask !== undefined) members.mask = [...Buffer.from(inlineImage(mask, 'mask'), 'base64')];
  return members;
}

export const cloudflareImages: UpstreamCallFormat<ImageRequest, ImageAnswer> = {
  id: 'cloudflare-images',
  inlines: ['image'],
  // As Stable Diffusion reads masks. Source: huggingface.co/docs/diffusers (inpainting), read 2026-11.
  maskShade: ({ model }) => (takesForm(model) ? undefined : 'white'),

  encodeRequest(asked, scope) {
    loseQuality(asked, scope.lose);
    loseSizeWord(asked, scope.lose);
    const own = { ...wordsOf(asked.extra, passed, scope.lose), prompt: asked.prompt, ...measures(asked, scope) };
    if (takesForm(asked.model)) return { body: { ...own, ...references(asked) }, encoding: 'form' };
    return { body: { ...own, ...source(asked) } };
  },

  decodeReply: readImageFile,

  decodeAnswer(body) {
    if (body.success === false) return { kind: 'error', body };
    const image = asWord(asObject(body.result)?.image);
    return image === undefined ? { kind: 'empty' } : { images: [madeOf(image)], usage: undefined };
  },
};

/** Base64, unless the model was made by another vendor, which names an address. */
function madeOf(image: string): ReturnType<typeof imageAt> {
  return /^(?:data:|https?:)/.test(image) ? imageAt(image) : { data: image };
}
