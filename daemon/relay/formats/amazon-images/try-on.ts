/**
 * Nova Canvas puts what one image shows into another: a garment on a person, a couch into a room. Source: the Nova user
 * guide on docs.aws.amazon.com (virtual try-on), read 2026-11.
 */
import type { ImageRequest } from '../../canonical/image.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asObject, asOneOf, asWord, inexpressible, invalid, parseJson, present } from '../fields.ts';
import { inlineImage } from '../image-file.ts';

/** What may be said beside the images: the vendor's members, and two of theirs in short. */
export const tryOnWords = [
  'garmentBasedMask',
  'garmentClass',
  'maskExclusions',
  'maskPrompt',
  'maskType',
  'mergeStyle',
  'promptBasedMask',
] as const;

const maskTypes = ['IMAGE', 'GARMENT', 'PROMPT'] as const;

/** The first image is changed by the second. Throws `convert_request_failed`, `invalid_request`. */
export function tryOnParams(own: JsonObject, { images, mask }: ImageRequest): JsonObject {
  const [source, reference, another] = images;
  if (source === undefined || reference === undefined || another !== undefined) {
    throw inexpressible('image', 'this task takes two images: what is changed, and what is put into it');
  }
  const garment = withMember(own.garmentBasedMask, 'garmentClass', own.garmentClass);
  const words = withMember(own.promptBasedMask, 'maskPrompt', own.maskPrompt);
  const maskType = maskTypeOf(own.maskType, { IMAGE: mask, GARMENT: garment, PROMPT: words });
  const maskImage = mask && inlineImage(mask, 'mask');
  return {
    sourceImage: inlineImage(source, 'image'),
    referenceImage: inlineImage(reference, 'image'),
    maskType,
    ...(maskImage === undefined ? {} : { imageBasedMask: { maskImage } }),
    ...present({
      garmentBasedMask: garment,
      promptBasedMask: words,
      maskExclusions: written(own.maskExclusions),
      mergeStyle: own.mergeStyle,
    }),
  };
}

/** The client's choice, else the first that there is something for. */
function maskTypeOf(wish: Json | undefined, given: Readonly<Record<(typeof maskTypes)[number], unknown>>): string {
  if (wish !== undefined) {
    const chosen = asOneOf(wish, maskTypes);
    if (chosen === undefined) throw invalid('maskType', `must be one of ${maskTypes.join(', ')}`);
    return chosen;
  }
  const found = maskTypes.find((type) => given[type] !== undefined);
  if (found === undefined) throw invalid('mask', 'or garmentClass or maskPrompt must say what is replaced');
  return found;
}

/** The object with the member that was said beside it; undefined where neither was said. */
function withMember(value: Json | undefined, name: string, short: Json | undefined): JsonObject | undefined {
  const members = written(value);
  return asWord(short) === undefined ? members : { ...members, [name]: short ?? null };
}

/** An object, which forms can only write as text. */
function written(value: Json | undefined): JsonObject | undefined {
  return asObject(typeof value === 'string' ? parseJson(value) : value);
}
