/**
 * A response object as the canonical answer.
 */
import { TollgateError } from '../../../errors.ts';
import type { ChatResponse, Finish, OutputItem, ReportedError, TokenLogprob } from '../../canonical/chat.ts';
import { moved, withAnnotations } from '../../canonical/text-places.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asNumber, asObject, asObjects, asText, asWord, present } from '../fields.ts';
import { readTokens } from '../openai-chat/decode-stream.ts';
import { decodeOutputItem } from './decode-items.ts';
import { findResponsesUsage } from './usage.ts';

/** Throws `bad_response_body` for a body that is no object, `empty_response` for one without output. */
export function decodeResponse(body: Json): ChatResponse {
  const fields = asObject(body);
  if (fields === undefined) throw new TollgateError('bad_response_body');
  const error = readReportedError(fields);
  const usage = findResponsesUsage(fields);
  if (error !== undefined) return present({ id: asWord(fields.id), choices: [], usage, error });
  if (!Array.isArray(fields.output)) throw new TollgateError('empty_response');
  const output = asObjects(fields.output).flatMap((item, at) => [
    ...decodeImage(item),
    decodeOutputItem(item, `output[${at}]`),
  ]);
  // On this wire places count from the beginning of a part.
  const items = withAnnotations(output, moved);
  const hasCalls = items.some((item) => item.type === 'tool-call');
  const logprobs = readOdds(fields.output);
  return present({
    id: asWord(fields.id),
    model: asWord(fields.model),
    created: asNumber(fields.created_at),
    choices: [
      present({
        index: 0,
        items,
        finish: decodeFinish(fields, hasCalls),
        logprobs: logprobs.length === 0 ? undefined : logprobs,
      }),
    ],
    usage,
    serviceTier: asWord(fields.service_tier),
  });
}

/** The odds of all text, in its order. */
function readOdds(output: Json): TokenLogprob[] {
  return asObjects(output).flatMap((item) => asObjects(item.content).flatMap((part) => readTokens(part.logprobs)));
}

/** A picture that the image tool made, beside the item that tells of it. */
function decodeImage(item: JsonObject): OutputItem[] {
  const data = asWord(item.result);
  if (item.type !== 'image_generation_call' || data === undefined) return [];
  const source = { kind: 'inline', mediaType: imageType(item), data } as const;
  return [present({ type: 'assistant', parts: [{ type: 'image', source }], id: asWord(item.id) })];
}

export function imageType(item: JsonObject): string {
  return `image/${asWord(item.output_format) ?? 'png'}`;
}

/** Reads `status` and `incomplete_details` of a response that has ended. */
export function decodeFinish(fields: JsonObject, hasCalls: boolean): Finish {
  if (fields.status === 'incomplete') {
    const word = asWord(asObject(fields.incomplete_details)?.reason) ?? 'max_output_tokens';
    const reason = word === 'content_filter' ? ('content-filter' as const) : ('length' as const);
    return { reason, raw: { dialect: 'openai-responses', word } };
  }
  return { reason: hasCalls ? 'tool-calls' : 'stop' };
}

/** The response as its last event has it. Perplexity tells of a failure beside it, or in its place. */
export function endOf(event: JsonObject): JsonObject {
  const response = asObject(event.response) ?? {};
  if (event.type !== 'response.failed') return response;
  return { ...response, status: 'failed', error: asObject(response.error) ?? event.error ?? null };
}

/** `response.error`, or an error object in place of an answer; undefined for an answer. */
export function readReportedError(fields: JsonObject): ReportedError | undefined {
  const error = asObject(fields.error);
  if (error === undefined) {
    if (fields.status !== 'failed' && fields.status !== 'cancelled') return undefined;
    return { code: 'server_error', message: `the response is ${fields.status}`, raw: fields };
  }
  const code = asWord(error.code) ?? asWord(error.type);
  return present({
    status: statusOf(error),
    type: asWord(error.type),
    code,
    message: asText(error.message) ?? JSON.stringify(error),
    raw: fields,
  });
}

/** Codes of failed responses as HTTP statuses. Source: OpenAI's published schema, read 2026-08. */
function statusOf(error: JsonObject): number | undefined {
  const code = asWord(error.code) ?? asWord(error.type);
  if (code === undefined) return undefined;
  if (code === 'rate_limit_exceeded' || code === 'insufficient_quota') return 429;
  if (
    /^(invalid_|image_|failed_to_download|unsupported|empty_image_file|bio_policy|cyber_policy|context_length)/.test(
      code,
    )
  )
    return 400;
  return code === 'server_error' ? 500 : undefined;
}

/** The `error` event, its members at the top or in an object. */
export function readErrorEvent(event: JsonObject): ReportedError {
  const error = asObject(event.error) ?? event;
  return present({
    status: statusOf(error),
    type: asWord(error.type) === 'error' ? undefined : asWord(error.type),
    code: asWord(error.code),
    message: asText(error.message) ?? JSON.stringify(event),
    raw: event,
  });
}
