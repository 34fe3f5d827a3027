/**
 * A whole chat completion as the canonical answer.
 */
import { TollgateError } from '../../../errors.ts';
import type { ChatChoice, ChatResponse, FinishReason } from '../../canonical/chat.ts';
import type { Scope } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asNumber, asObject, asObjects, asWord, present } from '../fields.ts';
import { decodeAssistant } from './decode-messages.ts';
import { readLogprobs } from './decode-stream.ts';
import { readReportedError } from './error.ts';
import { findUsage } from './read-usage.ts';
import { finishReasons } from './wire.ts';

/** Throws `bad_response_body` for a body that is no object, `empty_response` for one without choices. */
export function decodeResponse(body: Json, scope: Scope): ChatResponse {
  const fields = asObject(body);
  if (fields === undefined) throw new TollgateError('bad_response_body');
  const error = readReportedError(fields);
  const choices = asObjects(fields.choices).map((choice, at) => decodeChoice(choice, at, scope));
  if (choices.length === 0 && error === undefined) throw new TollgateError('empty_response');
  return present({
    id: asWord(fields.id),
    model: asWord(fields.model),
    created: asNumber(fields.created),
    choices,
    usage: findUsage(fields),
    serviceTier: asWord(fields.service_tier),
    systemFingerprint: asWord(fields.system_fingerprint),
    error,
  });
}

function decodeChoice(choice: JsonObject, at: number, scope: Scope): ChatChoice {
  const items = decodeAssistant(asObject(choice.message) ?? {}, `choices[${at}].message`, scope.newId('call_'));
  const word = asWord(choice.finish_reason);
  const told: FinishReason = word === undefined ? 'stop' : (finishReasons[word] ?? 'other');
  const isCut = told === 'length' || told === 'content-filter';
  const hasCalls = items.some((item) => item.type === 'tool-call');
  const logprobs = readLogprobs(choice.logprobs);
  return present({
    index: asNumber(choice.index) ?? at,
    items,
    finish: present({
      reason: hasCalls && !isCut ? ('tool-calls' as const) : told,
      raw: word === undefined ? undefined : { dialect: 'openai-chat' as const, word },
    }),
    logprobs: logprobs.length === 0 ? undefined : logprobs,
  });
}
