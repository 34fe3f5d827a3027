/** Predictions of language models on Replicate, awaited whole or heard as they come. Source: providers/replicate.md, read 2026-11. */
import type { WireEvent } from '../../format.ts';
import type { JsonObject } from '../../json.ts';
import { asNumber, asObject, asText, asTexts, asWord } from '../fields.ts';
import {
  type ChunkReader,
  chunkOf,
  completionOf,
  errorOf,
  payloadOf,
  usageChunk,
  usageOf,
  vendorChat,
} from '../vendor-chat.ts';
import { encode, taken } from './encode-input.ts';
import { inputUploads } from './input-files.ts';
import { pendingPrediction, predictionError, streamedPrediction } from './prediction.ts';

function readAnswer(body: JsonObject): JsonObject {
  if (asWord(body.status) !== 'succeeded') return predictionError(body);
  const content = asTexts(body.output).join('');
  return completionOf({ id: body.id, model: body.model }, { content }, { finish: 'stop', usage: countedUsage(body) });
}

/** Not every model counts. */
function countedUsage(body: JsonObject): JsonObject | undefined {
  const metrics = asObject(body.metrics);
  if (asNumber(metrics?.output_token_count) === undefined) return undefined;
  return usageOf(metrics?.input_token_count, metrics?.output_token_count);
}

/** One stream of events, and the prediction that is fetched when it is over. */
class PredictionReader implements ChunkReader {
  #failed = false;

  push(event: WireEvent): JsonObject[] {
    switch (event.event) {
      case 'output':
        return event.data === '' ? [] : [chunkOf({}, { content: event.data })];
      case 'error':
        return this.#fail(event);
      case 'done':
        return this.#end(event);
      case 'closing':
        return usageIn(event);
      default:
        return [];
    }
  }

  #fail(event: WireEvent): JsonObject[] {
    this.#failed = true;
    const reason = asText(payloadOf(event)?.detail) ?? event.data;
    return [predictionError({ status: 'failed', error: reason })];
  }

  /** What was called off has no other event. */
  #end(event: WireEvent): JsonObject[] {
    const reason = asWord(payloadOf(event)?.reason);
    if (reason === undefined) return [chunkOf({}, {}, 'stop')];
    if (this.#failed) return [];
    return [reason === 'canceled' ? predictionError({ status: reason }) : errorOf(reason, reason, 502)];
  }
}

function usageIn(event: WireEvent): JsonObject[] {
  const usage = countedUsage(payloadOf(event) ?? {});
  return usage === undefined ? [] : [usageChunk({}, usage)];
}

export const replicatePredictions = vendorChat({
  id: 'replicate-predictions',
  takes: taken,
  reads: { parts: ['image_url'], members: [] },
  encode,
  uploads: inputUploads,
  answer: readAnswer,
  followUp: (body, manner) => (manner === 'stream' ? streamedPrediction(body) : pendingPrediction(body)),
  reader: () => new PredictionReader(),
});
