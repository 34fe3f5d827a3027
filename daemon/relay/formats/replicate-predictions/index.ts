/** Predictions of language models on Replicate, awaited whole. Source: providers/replicate.md, read 2026-11. */
import type { JsonObject } from '../../json.ts';
import { asNumber, asObject, asTexts, asWord } from '../fields.ts';
import { completionOf, usageOf, vendorChat } from '../vendor-chat.ts';
import { encode, taken } from './encode-input.ts';
import { pendingPrediction, predictionError } from './prediction.ts';

function readAnswer(body: JsonObject): JsonObject {
  if (asWord(body.status) !== 'succeeded') return predictionError(body);
  const content = asTexts(body.output).join('');
  const metrics = asObject(body.metrics);
  const isCounted = asNumber(metrics?.output_token_count) !== undefined;
  return completionOf(
    { id: body.id, model: body.model },
    { content },
    {
      finish: 'stop',
      usage: isCounted ? usageOf(metrics?.input_token_count, metrics?.output_token_count) : undefined,
    },
  );
}

export const replicatePredictions = vendorChat({
  id: 'replicate-predictions',
  takes: taken,
  encode,
  answer: readAnswer,
  followUp: pendingPrediction,
  // Its events are fetched from another address; the whole prediction is awaited instead.
  reader: () => ({ push: () => [] }),
});
