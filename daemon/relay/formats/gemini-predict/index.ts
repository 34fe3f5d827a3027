/** Imagen's `:predict`, for addresses that still serve it. Source: providers/gemini.md and vertex.md, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import { type ImageAnswer, type ImageRequest, nearestRatio } from '../../canonical/image.ts';
import type { Json } from '../../json.ts';
import { asObjects, asText, asWord, inexpressible, present } from '../fields.ts';

const ratios = ['1:1', '3:4', '4:3', '9:16', '16:9'];

export const geminiPredict: UpstreamCallFormat<ImageRequest, ImageAnswer> = {
  id: 'gemini-predict',

  encodeRequest(asked, scope) {
    if (asked.images.length > 0) throw inexpressible('image', 'images cannot be sent to this channel');
    if (asked.quality !== undefined) scope.lose('quality');
    for (const name of Object.keys(asked.extra)) scope.lose(name);
    const parameters = present({ sampleCount: asked.count, aspectRatio: nearestRatio(asked.size, ratios) });
    return { body: { instances: [{ prompt: asked.prompt }], parameters }, operation: 'predict' };
  },

  decodeAnswer(body) {
    const images = asObjects(body.predictions).flatMap((prediction) => {
      const data = asWord(prediction.bytesBase64Encoded);
      const known = { mediaType: asWord(prediction.mimeType), revisedPrompt: asText(prediction.prompt) };
      return data === undefined ? [] : [present({ data, ...known })];
    });
    return images.length === 0 ? { kind: 'empty' } : { images, usage: undefined };
  },
};

/** Images in such an answer; what a filter took away does not count. */
export function countPredictions(predictions: Json | undefined): number {
  return asObjects(predictions).filter((entry) => asWord(entry.bytesBase64Encoded) !== undefined).length;
}
