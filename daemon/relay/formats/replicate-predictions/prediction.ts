/** What every prediction on Replicate has in common. Source: providers/replicate.md, read 2026-11. */
import type { Json, JsonObject } from '../../json.ts';
import { asObject, asText, asWord } from '../fields.ts';
import { errorOf } from '../vendor-chat.ts';

/** Between two looks at a prediction. */
const pauseMs = 1500;

/** Where to look again for a prediction that is still being made; undefined for one that has ended. */
export function pendingPrediction(body: Json): { readonly path: string; readonly afterMs: number } | undefined {
  const prediction = asObject(body);
  const id = asWord(prediction?.id);
  const isRunning = prediction?.status === 'starting' || prediction?.status === 'processing';
  if (id === undefined || !isRunning) return undefined;
  return { path: `/v1/predictions/${encodeURIComponent(id)}`, afterMs: pauseMs };
}

/** Why a prediction ended without an output. */
export function predictionError(body: JsonObject): JsonObject {
  const status = asWord(body.status);
  if (status !== 'failed' && status !== 'canceled' && status !== 'aborted') {
    return errorOf('not_finished', 'the prediction did not finish in time', 504);
  }
  const reason = asText(body.error) ?? status;
  const isFiltered = /nsfw/i.test(reason);
  return errorOf(isFiltered ? 'content_filter' : status, reason, isFiltered ? 400 : 502);
}
