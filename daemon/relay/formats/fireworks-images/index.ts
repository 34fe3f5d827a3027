/**
 * Fireworks' image workflows: Flux answers at once, Kontext gives out a request that is asked after. Source:
 * providers/fireworks.md, read 2026-11; Kontext's states: docs.fireworks.ai, read 2026-11.
 */
import type { FollowUp, UpstreamCallFormat } from '../../call-format.ts';
import { type ImageAnswer, type ImageRequest, nearestRatio, pixelsOf } from '../../canonical/image.ts';
import type { Scope } from '../../format.ts';
import type { JsonObject } from '../../json.ts';
import { asObject, asObjects, asTexts, asWord, inexpressible, parseJson, present } from '../fields.ts';
import { imageAt, inlineImage, loseQuality, loseSizeWord, readImageFile, wordsOf } from '../image-file.ts';
import { imageAddress } from '../openai-images/request.ts';
import { errorOf } from '../vendor-chat.ts';

/** How a model is asked. `result`: what became of a request of an `edit`. */
export type FireworksOperation = 'text_to_image' | 'edit' | 'generation' | 'get_result';

const ratios = ['1:1', '21:9', '16:9', '3:2', '5:4', '4:5', '2:3', '9:16', '9:21', '4:3', '3:4'];
const known = {
  text_to_image: new Set(['guidance_scale', 'num_inference_steps', 'seed', 'aspect_ratio']),
  edit: new Set(['seed', 'aspect_ratio', 'output_format', 'safety_tolerance', 'prompt_upsampling']),
  generation: new Set(['cfg_scale', 'sampler', 'seed', 'steps', 'negative_prompt', 'safety_check']),
} as const;
const pauseMs = 1000;

export function fireworksOperation(model: string): keyof typeof known {
  if (/flux-kontext/.test(model)) return 'edit';
  return /flux-1/.test(model) ? 'text_to_image' : 'generation';
}

function sourceOf({ images, mask, model }: ImageRequest): JsonObject {
  if (mask !== undefined) throw inexpressible('mask', 'masks cannot be sent to this channel');
  const [image, another] = images;
  if (image === undefined) return {};
  if (fireworksOperation(model) !== 'edit') throw inexpressible('image', 'this model edits no images');
  if (another !== undefined) throw inexpressible('image', 'this model edits one image');
  inlineImage(image, 'image');
  return { input_image: imageAddress(image) ?? '' };
}

function encode(asked: ImageRequest, scope: Scope): JsonObject {
  loseQuality(asked, scope.lose);
  loseSizeWord(asked, scope.lose);
  const operation = fireworksOperation(asked.model);
  const measures =
    operation === 'generation' ? (pixelsOf(asked.size) ?? {}) : { aspect_ratio: nearestRatio(asked.size, ratios) };
  return {
    prompt: asked.prompt,
    ...present({ ...measures }),
    ...sourceOf(asked),
    ...wordsOf(asked.extra, known[operation], scope.lose),
  };
}

/** Images that were made at once: base64 or data URLs, in a list or alone. */
function madeIn(entry: JsonObject): string[] {
  return asTexts(entry.base64).map((data) => (data.startsWith('data:') ? data : `data:image/png;base64,${data}`));
}

export const fireworksImages: UpstreamCallFormat<ImageRequest, ImageAnswer> = {
  id: 'fireworks-images',
  inlines: ['image'],

  encodeRequest: (asked, scope) => ({ body: encode(asked, scope), operation: fireworksOperation(asked.model) }),

  decodeReply(reply) {
    const file = readImageFile(reply);
    if (file !== undefined) return file;
    // The older models answer with a list.
    const list = parseJson(reply.body.toString('utf8'));
    return Array.isArray(list) ? ended(asObjects(list).flatMap(madeIn), asObjects(list)[0] ?? {}) : undefined;
  },

  decodeAnswer(body) {
    const request = asWord(body.request_id);
    if (request !== undefined) return asking(request);
    const status = asWord(body.status);
    const id = asWord(body.id);
    if (status === 'Pending' && id !== undefined) return asking(id);
    if (status === undefined) return ended(madeIn(body), body);
    const result = body.result;
    const sample = asWord(result) ?? asWord(asObject(result)?.sample);
    if (status === 'Ready' && sample !== undefined) return { images: [imageAt(sample)], usage: undefined };
    return { kind: 'error', body: refusalOf(status) };
  },
};

function asking(id: string): FollowUp & { operation: FireworksOperation } {
  return { kind: 'follow-up', operation: 'get_result', body: { id }, isAfterWork: true, afterMs: pauseMs };
}

function ended(addresses: readonly string[], { finishReason }: JsonObject) {
  if (addresses.length > 0 && finishReason !== 'CONTENT_FILTERED') {
    return { images: addresses.map(imageAt), usage: undefined };
  }
  if (finishReason === 'CONTENT_FILTERED') return { kind: 'error' as const, body: refusalOf('Content Moderated') };
  return { kind: 'empty' as const };
}

function refusalOf(status: string): JsonObject {
  if (/moderated/i.test(status)) return errorOf('content_filter', `the image was filtered: ${status}`, 400);
  return errorOf('image_failed', `no image was made: ${status}`, 502);
}
