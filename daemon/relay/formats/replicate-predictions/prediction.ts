/** What every prediction on Replicate has in common. Source: providers/replicate.md, read 2026-11. */
import type { FurtherQuestion } from '../../further-question.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asObject, asText, asWord, present } from '../fields.ts';
import { errorOf } from '../vendor-chat.ts';

/** Milliseconds between two looks at a prediction. */
const pauseMs = 1500;

/**
 * Where to look again for a prediction that is still being made, and how to call it off; undefined for one that has
 * ended.
 */
export function pendingPrediction(body: Json): (FurtherQuestion & { readonly path: string }) | undefined {
  const prediction = asObject(body);
  const id = asWord(prediction?.id);
  if (id === undefined || !isRunning(prediction)) return undefined;
  const path = `/v1/predictions/${encodeURIComponent(id)}`;
  return { path, callOff: `${path}/cancel`, isAfterWork: true, afterMs: pauseMs };
}

/** The same for a prediction whose output is wanted as it comes, where its model streams any. */
export function streamedPrediction(body: Json): FurtherQuestion | undefined {
  const pending = pendingPrediction(body);
  const address = asWord(asObject(asObject(body)?.urls)?.stream);
  if (pending === undefined || address === undefined) return pending;
  const { path, callOff } = pending;
  // Events do not say what was used.
  const closing = { path, isThere: (answer: JsonObject) => !isRunning(answer) };
  return { address, headers: { accept: 'text/event-stream' }, afterMs: 0, ...present({ callOff }), closing };
}

function isRunning(prediction: JsonObject | undefined): boolean {
  return prediction?.status === 'starting' || prediction?.status === 'processing';
}

/** Why a prediction ended without an output. */
export function predictionError(body: JsonObject): JsonObject {
  const status = asWord(body.status);
  if (status !== 'failed' && status !== 'canceled' && status !== 'aborted') {
    return errorOf('not_finished', 'the prediction did not finish in time', 504);
  }
  const reason = asText(body.error) ?? status;
  const isFiltered = /nsfw|flagged as sensitive/i.test(reason);
  return errorOf(isFiltered ? 'content_filter' : status, reason, isFiltered ? 400 : 502);
}
