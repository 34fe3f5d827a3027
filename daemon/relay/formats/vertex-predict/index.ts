/**
 * Imagen's `:predict` on Vertex AI, which has more words than Gemini's and edits images. Source: providers/vertex.md and
 * the vendor's references of Imagen (edit images, generate images), read 2026-11.
 */
import type { UpstreamCallFormat } from '../../call-format.ts';
import { type ImageAnswer, type ImageInput, type ImageRequest, nearestRatio } from '../../canonical/image.ts';
import type { Scope } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asOneOf, asWord, inexpressible, invalid, parseJson, present } from '../fields.ts';
import { imagenRatios, readPredictions } from '../gemini-predict/index.ts';
import { inlineImage, loseQuality, loseSizeWord, withNumbers, wordsOf } from '../image-file.ts';

const editModes = [
  'EDIT_MODE_INPAINT_INSERTION',
  'EDIT_MODE_INPAINT_REMOVAL',
  'EDIT_MODE_OUTPAINT',
  'EDIT_MODE_BGSWAP',
] as const;
/** Masks that the model makes itself, of the image. */
const maskModes = ['MASK_MODE_BACKGROUND', 'MASK_MODE_FOREGROUND', 'MASK_MODE_SEMANTIC'] as const;

/** Words of any call. */
const general = new Set([
  'addWatermark',
  'guidanceScale',
  'includeRaiReason',
  'language',
  'negativePrompt',
  'outputOptions',
  'personGeneration',
  'safetySetting',
  'seed',
]);
const ofNew = new Set([...general, 'enhancePrompt', 'sampleImageSize']);
const ofMask = new Set(['dilation', 'maskClasses']);
const ofEdits = new Set([...general, ...ofMask, 'baseSteps', 'editConfig', 'editMode', 'maskMode']);
const numeric = new Set(['baseSteps', 'dilation', 'guidanceScale', 'seed']);
/** Forms can only write these as texts. */
const written = new Set([
  'addWatermark',
  'editConfig',
  'enhancePrompt',
  'includeRaiReason',
  'maskClasses',
  'outputOptions',
]);

export const vertexPredict: UpstreamCallFormat<ImageRequest, ImageAnswer> = {
  id: 'vertex-predict',
  inlines: ['image'],
  maskShade: () => 'white',

  encodeRequest(asked, scope) {
    loseQuality(asked, scope.lose);
    const body = asked.images.length === 0 ? encodeNew(asked, scope) : encodeEdit(asked, scope);
    return { body, operation: 'predict' };
  },

  decodeAnswer: readPredictions,
};

function encodeNew(asked: ImageRequest, scope: Scope): JsonObject {
  if (asked.mask !== undefined) throw inexpressible('mask', 'a mask needs an image');
  const { size, prompt, count } = asked;
  const sampleImageSize = asOneOf(size, ['1K', '2K']);
  if (sampleImageSize === undefined) loseSizeWord(asked, scope.lose);
  const measures = present({ aspectRatio: nearestRatio(size, imagenRatios), sampleImageSize });
  return { instances: [{ prompt }], parameters: { sampleCount: count, ...measures, ...ownWords(asked, ofNew, scope) } };
}

function encodeEdit(asked: ImageRequest, scope: Scope): JsonObject {
  const { model, images, mask, prompt, count, size } = asked;
  if (/generate/.test(model)) throw inexpressible('image', 'this model edits no images');
  const [image, another] = images;
  if (image === undefined || another !== undefined) throw inexpressible('image', 'this model edits one image');
  // The result is as large as the image.
  if (size !== undefined && size !== 'auto') scope.lose('size');
  const { baseSteps, editConfig, dilation, maskClasses, ...own } = ownWords(asked, ofEdits, scope);
  const { maskMode, ...parameters } = own;
  const masked = maskOf(mask, maskMode, present({ dilation, maskClasses }));
  return {
    instances: [{ prompt, referenceImages: [reference('RAW', 1, image), ...masked] }],
    parameters: {
      sampleCount: count,
      ...parameters,
      ...present({
        editMode: editModeOf(parameters.editMode, masked.length > 0, maskMode),
        editConfig: editConfig ?? (baseSteps === undefined ? undefined : { baseSteps }),
      }),
    },
  };
}

function reference(kind: 'RAW' | 'MASK', id: number, image: ImageInput): JsonObject {
  const bytesBase64Encoded = inlineImage(image, kind === 'RAW' ? 'image' : 'mask');
  return { referenceType: `REFERENCE_TYPE_${kind}`, referenceId: id, referenceImage: { bytesBase64Encoded } };
}

/** The client's mask, or the one that the model is to make; none for an edit of the whole image. */
function maskOf(mask: ImageInput | undefined, wish: Json | undefined, config: JsonObject): JsonObject[] {
  if (mask !== undefined) {
    const maskImageConfig = { maskMode: 'MASK_MODE_USER_PROVIDED', ...config };
    return [{ ...reference('MASK', 2, mask), maskImageConfig }];
  }
  if (wish === undefined) return [];
  const maskMode = asOneOf(wish, maskModes);
  if (maskMode === undefined) throw invalid('maskMode', `must be one of ${maskModes.join(', ')}`);
  return [{ referenceType: 'REFERENCE_TYPE_MASK', referenceId: 2, maskImageConfig: { maskMode, ...config } }];
}

function editModeOf(wish: Json | undefined, isMasked: boolean, maskMode: Json | undefined): string | undefined {
  if (wish === undefined) {
    if (!isMasked) return undefined;
    return maskMode === 'MASK_MODE_BACKGROUND' ? 'EDIT_MODE_BGSWAP' : 'EDIT_MODE_INPAINT_INSERTION';
  }
  const mode = asOneOf(wish, editModes);
  if (mode === undefined) throw invalid('editMode', `must be one of ${editModes.join(', ')}`);
  return mode;
}

/** The client's further members in the model's words; two of OpenAI's have one here. */
function ownWords({ extra }: ImageRequest, known: ReadonlySet<string>, scope: Scope): JsonObject {
  const { output_format: form, output_compression: compression, negative_prompt: unwanted, ...rest } = extra;
  const outputOptions = present({ mimeType: mimeTypeOf(form, scope), compressionQuality: compression });
  const said = withNumbers(wordsOf(rest, known, scope.lose), numeric);
  const read = Object.entries(said).map(([name, value]): [string, Json] => [
    name,
    written.has(name) && typeof value === 'string' ? (parseJson(value) ?? value) : value,
  ]);
  return {
    ...present({ negativePrompt: unwanted }),
    ...(Object.keys(outputOptions).length === 0 ? {} : { outputOptions }),
    ...Object.fromEntries(read),
  };
}

function mimeTypeOf(form: Json | undefined, scope: Scope): string | undefined {
  const word = asOneOf(form, ['png', 'jpeg']);
  if (asWord(form) !== undefined && word === undefined) scope.lose('output_format');
  return word === undefined ? undefined : `image/${word}`;
}
