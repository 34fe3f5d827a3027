/**
 * A whole message as the canonical answer.
 */
import { TollgateError } from '../../../errors.ts';
import type { ChatResponse, Finish, ReportedError } from '../../canonical/chat.ts';
import { withAnnotations } from '../../canonical/text-places.ts';
import { failedReport } from '../../failure-body.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asObject, asText, asWord, entryOf, present } from '../fields.ts';
import { blocksOf, citationAt, decodeOutput } from './decode-blocks.ts';
import { readAnthropicUsage } from './usage.ts';
import { errorStatuses, stopReasons } from './wire.ts';

/** Throws `bad_response_body` for a body that is no object, `empty_response` for one without content. */
export function decodeResponse(body: Json): ChatResponse {
  const fields = asObject(body);
  if (fields === undefined) throw new TollgateError('bad_response_body');
  const error = readReportedError(fields);
  if (error !== undefined) return { choices: [], error };
  if (!Array.isArray(fields.content)) throw new TollgateError('empty_response');
  const items = withAnnotations(
    decodeOutput(blocksOf(fields.content, 'content'), 'content'),
    (citation, start, { text }) => citationAt(citation, { start, end: start + text.length }),
  );
  const hasCalls = items.some((item) => item.type === 'tool-call');
  return present({
    id: asWord(fields.id),
    model: asWord(fields.model),
    choices: [{ index: 0, items, finish: decodeFinish(fields, hasCalls) }],
    usage: readAnthropicUsage(fields.usage),
    serviceTier: asWord(asObject(fields.usage)?.service_tier),
  });
}

/** Reads `stop_reason` and its companions, of a whole message or a `message_delta`. */
export function decodeFinish(fields: JsonObject, hasCalls: boolean): Finish {
  const word = asWord(fields.stop_reason);
  const told = word === undefined ? 'stop' : (entryOf(stopReasons, word) ?? 'other');
  // Some hosts of this format say `end_turn` after a tool call.
  const isEnd = told === 'stop' || told === 'stop-sequence' || told === 'other';
  const reason = hasCalls && isEnd ? 'tool-calls' : told;
  return present({
    reason,
    stopSequence: asText(fields.stop_sequence),
    raw: word === undefined ? undefined : { dialect: 'anthropic-messages' as const, word },
    details: asObject(fields.stop_details),
  });
}

/** `{type:'error', error:{type,message}}` inside a 200; undefined for an answer. */
export function readReportedError(fields: JsonObject): ReportedError | undefined {
  const error = asObject(fields.error) ?? failedReport(fields);
  if (fields.type !== 'error' && error === undefined) return undefined;
  const type = asWord(error?.type);
  return present({
    status: type === undefined ? undefined : entryOf(errorStatuses, type),
    type,
    code: type,
    message: asText(error?.message) ?? JSON.stringify(fields),
    raw: fields,
  });
}
