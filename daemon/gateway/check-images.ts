/** The limits of calls for images (relay.md 5.6, 7.1). */
import { isObject, type Json, type JsonObject } from '../relay/json.ts';
import { isAbsent, refuse } from './check-calls.ts';
import type { Form } from './form.ts';

/** What a call for images asks for, as far as holds and delivery must know. */
export interface ImageWishes {
  readonly stream: boolean;
  /** Images asked for. */
  readonly choices: number;
}

const MAX_IMAGES = 10;
const MAX_SOURCES = 16;
const MAX_PARTIAL_IMAGES = 3;
const MAX_PREDICTIONS = 4;
const SIZES = /^(?:\d{2,5}x\d{2,5}|auto|[124]K)$/;
const MODEL_SIZES: Readonly<Record<string, readonly string[]>> = {
  'dall-e-2': ['256x256', '512x512', '1024x1024'],
  'dall-e-3': ['1024x1024', '1024x1792', '1792x1024'],
};
/** Parts of a form that are images. */
const IMAGE_PARTS = new Set(['image', 'image[]']);

function count(body: JsonObject, field: string, limits: { min: number; max: number }): number | undefined {
  const value = body[field];
  if (isAbsent(value)) return undefined;
  const { min, max } = limits;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
    refuse(field, `must be a whole number from ${min} to ${max}`);
  }
  return value;
}

function checkSize(size: Json | undefined, model: string): void {
  if (isAbsent(size)) return;
  if (typeof size !== 'string' || !SIZES.test(size)) refuse('size', 'must be WIDTHxHEIGHT, auto, 1K, 2K or 4K');
  const known = Object.hasOwn(MODEL_SIZES, model) ? MODEL_SIZES[model] : undefined;
  if (known !== undefined && !known.includes(size)) refuse('size', `must be one of ${known.join(', ')}`);
}

/** Checks the members that new images and edits share. */
export function checkImages(body: JsonObject, model: string): ImageWishes {
  const { prompt } = body;
  if (typeof prompt !== 'string' || prompt.trim() === '') refuse('prompt', 'must be a text that is not empty');
  return checkOutput(body, model);
}

/** Checks what is said of the images that are wanted. */
function checkOutput(body: JsonObject, model: string): ImageWishes {
  checkSize(body.size, model);
  const format = body.response_format;
  if (!isAbsent(format) && format !== 'url' && format !== 'b64_json') {
    refuse('response_format', 'must be url or b64_json');
  }
  count(body, 'partial_images', { min: 0, max: MAX_PARTIAL_IMAGES });
  if (!isAbsent(body.stream) && typeof body.stream !== 'boolean') refuse('stream', 'must be true or false');
  return { stream: body.stream === true, choices: count(body, 'n', { min: 1, max: MAX_IMAGES }) ?? 1 };
}

/** Checks an edit, whose images stand in the form or, in JSON, in a list. */
export function checkImageEdit(body: JsonObject, model: string, form: Form | undefined): ImageWishes {
  const sources = form === undefined ? listOf(body.images ?? body.image).length : imageFiles(form);
  if (sources < 1 || sources > MAX_SOURCES) refuse('image', `must be 1 to ${MAX_SOURCES} images`);
  return checkImages(body, model);
}

/** Checks a variation: one image in a form, and no words about it. */
export function checkImageVariation(body: JsonObject, model: string, form: Form | undefined): ImageWishes {
  if (form === undefined) refuse('image', 'must be a file of a multipart/form-data body');
  if (imageFiles(form) !== 1) refuse('image', 'must be one image');
  const wishes = checkOutput(body, model);
  if (wishes.stream) refuse('stream', 'must not be true: variations are answered as a whole');
  return wishes;
}

function imageFiles({ parts }: Form): number {
  return parts.filter((part) => part.kind === 'file' && IMAGE_PARTS.has(part.name)).length;
}

function listOf(value: Json | undefined): readonly Json[] {
  if (isAbsent(value)) return [];
  return Array.isArray(value) ? value : [value];
}

/** Checks a call for Imagen. */
export function checkPredict(body: JsonObject): ImageWishes {
  const { instances, parameters } = body;
  if (!Array.isArray(instances) || instances.length === 0) refuse('instances', 'must be a non-empty array');
  if (!isAbsent(parameters) && !isObject(parameters)) refuse('parameters', 'must be an object');
  const wanted = isObject(parameters) ? count(parameters, 'sampleCount', { min: 1, max: MAX_PREDICTIONS }) : 1;
  return { stream: false, choices: wanted ?? 1 };
}
