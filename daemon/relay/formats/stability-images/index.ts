/**
 * Stability's models on Bedrock: three that make images and thirteen services that each change one in one way. Source:
 * providers/bedrock.md; members: the user guide on docs.aws.amazon.com (Stability AI models, Image Services), read 2026-11.
 */
import type { UpstreamCallFormat } from '../../call-format.ts';
import { type ImageAnswer, type ImageRequest, nearestRatio } from '../../canonical/image.ts';
import type { JsonObject } from '../../json.ts';
import { asList, asTexts, asWord, inexpressible, present } from '../fields.ts';
import { inlineImage, loseQuality, loseSizeWord, withNumbers, wordsOf } from '../image-file.ts';
import { errorOf } from '../vendor-chat.ts';

interface Work {
  /** Members beside prompt, images and mask. */
  readonly words: readonly string[];
  /** What its images are called, in order. */
  readonly images?: readonly string[];
  readonly isMasked?: true;
  /** Images alone say what is to be done. */
  readonly isMute?: true;
}

interface Service extends Work {
  readonly models: RegExp;
}

const always = ['seed', 'output_format'];
const styled = [...always, 'negative_prompt', 'style_preset'];
const ratios = ['16:9', '1:1', '21:9', '2:3', '3:2', '4:5', '5:4', '9:16', '9:21'];
const numeric = new Set([
  'seed',
  'strength',
  'grow_mask',
  'control_strength',
  'fidelity',
  'composition_fidelity',
  'style_strength',
  'change_strength',
  'creativity',
  'left',
  'right',
  'up',
  'down',
]);

const services: readonly Service[] = [
  { models: /inpaint/, words: [...styled, 'grow_mask'], images: ['image'], isMasked: true },
  { models: /erase-object/, words: [...always, 'grow_mask'], images: ['image'], isMasked: true, isMute: true },
  { models: /search-replace/, words: [...styled, 'grow_mask', 'search_prompt'], images: ['image'] },
  { models: /search-recolor/, words: [...styled, 'grow_mask', 'select_prompt'], images: ['image'] },
  { models: /remove-background/, words: ['output_format'], images: ['image'], isMute: true },
  { models: /control-(?:sketch|structure)/, words: [...styled, 'control_strength'], images: ['image'] },
  { models: /style-guide/, words: [...styled, 'aspect_ratio', 'fidelity'], images: ['image'] },
  {
    models: /style-transfer/,
    words: [...always, 'negative_prompt', 'composition_fidelity', 'style_strength', 'change_strength'],
    images: ['init_image', 'style_image'],
  },
  {
    models: /outpaint/,
    words: [...always, 'style_preset', 'creativity', 'left', 'right', 'up', 'down'],
    images: ['image'],
  },
  { models: /fast-upscale/, words: ['output_format'], images: ['image'], isMute: true },
  { models: /conservative-upscale/, words: [...always, 'negative_prompt', 'creativity'], images: ['image'] },
  { models: /creative-upscale/, words: [...styled, 'creativity'], images: ['image'] },
];
/** What the models that are no service do: they make an image, all but one also out of another. */
const maker: Work = { words: [...always, 'negative_prompt', 'aspect_ratio'] };
const remaker: Work = { words: [...always, 'negative_prompt', 'strength'], images: ['image'] };

/** How much of an image is made anew unless the client says it, for the one model that must be told. */
const usualStrength = 0.7;

function workOf({ model, images }: ImageRequest): Work {
  const service = services.find(({ models }) => models.test(model));
  return service ?? (images.length === 0 || /image-core/.test(model) ? maker : remaker);
}

/** Throws `convert_request_failed` for more or fewer images than the model looks at. */
function encodeSources({ images, mask }: ImageRequest, work: Work): JsonObject {
  const names = work.images ?? [];
  if (images.length !== names.length) {
    throw inexpressible('image', `number of images that this model looks at: ${names.length}`);
  }
  const members: JsonObject = {};
  for (const [index, image] of images.entries()) members[names[index] ?? ''] = inlineImage(image, 'image');
  if (mask === undefined) return members;
  if (work.isMasked === undefined) throw inexpressible('mask', 'this model takes no mask');
  return { ...members, mask: inlineImage(mask, 'mask') };
}

export const stabilityImages: UpstreamCallFormat<ImageRequest, ImageAnswer> = {
  id: 'stability-images',
  inlines: ['image'],
  maskShade: (asked) => (workOf(asked).isMasked ? 'white' : undefined),

  encodeRequest(asked, scope) {
    const work = workOf(asked);
    loseQuality(asked, scope.lose);
    loseSizeWord(asked, scope.lose);
    const ratio = nearestRatio(asked.size, ratios);
    const hasRatio = work.words.includes('aspect_ratio');
    if (ratio !== undefined && !hasRatio) scope.lose('size');
    const isTold = work === remaker && /\bsd3/.test(asked.model);
    return {
      body: {
        ...(isTold ? { mode: 'image-to-image', strength: usualStrength } : {}),
        ...present({ aspect_ratio: hasRatio ? ratio : undefined }),
        ...withNumbers(wordsOf(asked.extra, new Set(work.words), scope.lose), numeric),
        // Clients cannot leave it out, and such a service has no place for it.
        ...(work.isMute ? {} : { prompt: asked.prompt }),
        ...encodeSources(asked, work),
      },
    };
  },

  decodeAnswer(body) {
    const images = asTexts(body.images).flatMap((data) => (data === '' ? [] : [{ data }]));
    const reason = asList(body.finish_reasons).find((entry) => entry !== null);
    if (images.length > 0 && reason === undefined) return { images, usage: undefined };
    const word = asWord(reason);
    if (word === undefined) return { kind: 'empty' };
    const isFiltered = word.startsWith('Filter reason');
    const error = isFiltered ? errorOf('content_filter', word, 400) : errorOf('inference_error', word, 502);
    return { kind: 'error', body: error };
  },
};
