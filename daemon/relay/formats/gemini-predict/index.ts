/** Imagen's `:predict`, for addresses that still serve it. Source: providers/gemini.md and vertex.md, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import { type ImageAnswer, type ImageRequest, nearestRatio } from '../../canonical/image.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { UnusableAnswer } from '../../native-answer.ts';
import { asObjects, asText, asWord, inexpressible, present } from '../fields.ts';
import { loseQuality, loseSizeWord } from '../image-file.ts';

/** Proportions that the models know. */
export const imagenRatios = ['1:1', '3:4', '4:3', '9:16', '16:9'];

export const geminiPredict: UpstreamCallFormat<ImageRequest, ImageAnswer> = {
  id: 'gemini-predict',

  encodeRequest(asked, scope) {
    if (asked.images.length > 0) throw inexpressible('image', 'images cannot be sent to this channel');
    loseQuality(asked, scope.lose);
    loseSizeWord(asked, scope.lose);
    for (const name of Object.keys(asked.extra)) scope.lose(name);
    const parameters = present({ sampleCount: asked.count, aspectRatio: nearestRatio(asked.size, imagenRatios) });
    return { body: { instances: [{ prompt: asked.prompt }], parameters }, operation: 'predict' };
  },

  decodeAnswer: readPredictions,
};

/** The images that came; where a filter took them all and says why, its reason. */
export function readPredictions(body: JsonObject): ImageAnswer | UnusableAnswer {
  const predictions = asObjects(body.predictions);
  const images = predictions.flatMap((prediction) => {
    const data = asWord(prediction.bytesBase64Encoded);
    const known = { mediaType: asWord(prediction.mimeType), revisedPrompt: asText(prediction.prompt) };
    return data === undefined ? [] : [present({ data, ...known })];
  });
  if (images.length > 0) return { images, usage: undefined };
  const blockReason = predictions.map((prediction) => asWord(prediction.raiFilteredReason)).find(isTold);
  return blockReason === undefined ? { kind: 'empty' } : { kind: 'error', body: { promptFeedback: { blockReason } } };
}

function isTold(reason: string | undefined): reason is string {
  return reason !== undefined;
}

/** Images in such an answer; what a filter took away does not count. */
export function countPredictions(predictions: Json | undefined): number {
  return asObjects(predictions).filter((entry) => asWord(entry.bytesBase64Encoded) !== undefined).length;
}
