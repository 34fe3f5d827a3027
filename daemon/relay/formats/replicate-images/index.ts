/** Predictions of image models on Replicate. Source: providers/replicate.md, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import { type ImageAnswer, type ImageRequest, nearestRatio, pixelsOf } from '../../canonical/image.ts';
import type { JsonObject } from '../../json.ts';
import { asText, asTexts, asWord, inexpressible, present } from '../fields.ts';
import { imageAt, loseQuality, loseSizeWord } from '../image-file.ts';
import { imageAddress } from '../openai-images/request.ts';
import { inputUploads } from '../replicate-predictions/input-files.ts';
import { pendingPrediction, predictionError } from '../replicate-predictions/prediction.ts';

const ratios = ['1:1', '16:9', '9:16', '3:2', '2:3', '4:3', '3:4', '4:5', '5:4', '21:9', '9:21'];
/** OpenAI's own words, which no model here knows. Everything else may be an input of the model. */
const foreign = new Set([
  'style',
  'background',
  'moderation',
  'input_fidelity',
  'partial_images',
  'stream',
  'output_compression',
  'user',
]);

/** Models that make several images in one prediction. Source: their pages on replicate.com, read 2026-11. */
export function imagesAtOnce(model: string): number {
  return takesPixels(model) || /flux-(?:schnell|dev)\b/.test(model) ? 4 : 1;
}

/** Models that are told pixels; the newer ones are told proportions. */
function takesPixels(model: string): boolean {
  return /sdxl|stable-diffusion(?!-3)/.test(model);
}

/** Where a model looks for the images that it edits or follows. */
function imageField(model: string): { readonly name: string; readonly form: 'one' | 'list' } {
  if (/kontext/.test(model)) return { name: 'input_image', form: 'one' };
  if (/flux-2/.test(model)) return { name: 'input_images', form: 'list' };
  if (/nano-banana|seedream/.test(model)) return { name: 'image_input', form: 'list' };
  return { name: /flux-(?:1\.1-)?pro/.test(model) ? 'image_prompt' : 'image', form: 'one' };
}

function sources({ model, images }: ImageRequest): JsonObject {
  if (images.length === 0) return {};
  const addresses = images.map((image) => addressOf(image, 'image'));
  const { name, form } = imageField(model);
  const [only = '', another] = addresses;
  if (form === 'list') return { [name]: addresses };
  if (another !== undefined) throw inexpressible('image', 'this model takes one image');
  return { [name]: only };
}

function addressOf(image: ImageRequest['images'][number], field: string): string {
  const address = imageAddress(image);
  if (address === undefined) throw inexpressible(field, 'files by id cannot be sent to this channel');
  return address;
}

function measures({ model, size, extra }: ImageRequest): JsonObject {
  if (extra.aspect_ratio !== undefined || extra.width !== undefined) return {};
  if (takesPixels(model)) return { ...pixelsOf(size) };
  return present({ aspect_ratio: nearestRatio(size, ratios) });
}

/** The client's further members as inputs: two of OpenAI's have a word here. */
function inputsOf({ extra }: ImageRequest, lose: (field: string) => void): JsonObject {
  const inputs: JsonObject = {};
  for (const [name, value] of Object.entries(extra)) {
    if (name === 'output_compression') inputs.output_quality = value;
    else if (foreign.has(name)) lose(name);
    else inputs[name] = name === 'output_format' && value === 'jpeg' ? 'jpg' : value;
  }
  return inputs;
}

export const replicateImages: UpstreamCallFormat<ImageRequest, ImageAnswer> = {
  id: 'replicate-images',
  uploads: inputUploads,
  maskShade: () => 'white',

  encodeRequest(asked, scope) {
    loseQuality(asked, scope.lose);
    loseSizeWord(asked, scope.lose);
    return {
      body: {
        input: {
          ...inputsOf(asked, scope.lose),
          prompt: asked.prompt,
          ...measures(asked),
          ...sources(asked),
          ...(asked.mask === undefined ? {} : { mask: addressOf(asked.mask, 'mask') }),
          ...(asked.count > 1 ? { num_outputs: asked.count } : {}),
        },
      },
    };
  },

  decodeAnswer(body) {
    const pending = pendingPrediction(body);
    if (pending !== undefined) return { kind: 'follow-up', ...pending };
    if (asWord(body.status) !== 'succeeded') return { kind: 'error', body: predictionError(body) };
    const images = asTexts(body.output).filter((address) => asText(address) !== '');
    return images.length === 0 ? { kind: 'empty' } : { images: images.map(imageAt), usage: undefined };
  },
};
