/**
 * A whole chat completion as the canonical answer.
 */
import { TollgateError } from '../../../errors.ts';
import type { Annotation, ChatChoice, ChatResponse, FinishReason } from '../../canonical/chat.ts';
import type { Scope } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asIndex, asNumber, asObject, asObjects, asWord, entryOf, present } from '../fields.ts';
import { readExtras } from './answer-extras.ts';
import { decodeAssistant } from './decode-messages.ts';
import { readLogprobs } from './decode-stream.ts';
import { readReportedError } from './error.ts';
import { findUsage } from './read-usage.ts';
import { readSources, SharedSources } from './sources.ts';
import { finishReasons } from './wire.ts';

/** Throws `bad_response_body` for a body that is no object, `empty_response` for one without choices. */
export function decodeResponse(body: Json, scope: Scope): ChatResponse {
  const fields = asObject(body);
  if (fields === undefined) throw new TollgateError('bad_response_body');
  const error = readReportedError(fields);
  const sources = readSources(fields);
  const shared = new SharedSources(() => scope.lose('answer.annotations'));
  const choices = asObjects(fields.choices).map((choice, at) =>
    withSources(decodeChoice(choice, at, scope), () => shared.take(sources)),
  );
  const [first, ...others] = choices;
  if (first === undefined && error === undefined) throw new TollgateError('empty_response');
  return present({
    id: asWord(fields.id),
    model: asWord(fields.model),
    created: asNumber(fields.created),
    choices: first === undefined ? [] : [{ ...first, items: [...first.items, ...readExtras(fields)] }, ...others],
    usage: findUsage(fields),
    serviceTier: asWord(fields.service_tier),
    systemFingerprint: asWord(fields.system_fingerprint),
    error,
  });
}

/** Sources belong to the last text, unless it has annotations of its own. */
function withSources(choice: ChatChoice, take: () => readonly Annotation[]): ChatChoice {
  const at = choice.items.findLastIndex((item) => item.type === 'assistant');
  const item = choice.items[at];
  if (item?.type !== 'assistant') return choice;
  const isAnnotated = item.parts.some((part) => part.type === 'text' && part.annotations !== undefined);
  const last = item.parts.findLastIndex((part) => part.type === 'text');
  const part = item.parts[last];
  if (isAnnotated || part?.type !== 'text') return choice;
  const annotations = take();
  if (annotations.length === 0) return choice;
  const parts = item.parts.with(last, { ...part, annotations });
  return { ...choice, items: choice.items.with(at, { ...item, parts }) };
}

function decodeChoice(choice: JsonObject, at: number, scope: Scope): ChatChoice {
  const items = decodeAssistant(asObject(choice.message) ?? {}, `choices[${at}].message`, scope.newId('call_'));
  const word = asWord(choice.finish_reason);
  const told: FinishReason = word === undefined ? 'stop' : (entryOf(finishReasons, word) ?? 'other');
  const isCut = told === 'length' || told === 'content-filter';
  const hasCalls = items.some((item) => item.type === 'tool-call');
  const logprobs = readLogprobs(choice.logprobs);
  return present({
    index: asIndex(choice.index) ?? at,
    items,
    finish: present({
      reason: hasCalls && !isCut ? ('tool-calls' as const) : told,
      raw: word === undefined ? undefined : { dialect: 'openai-chat' as const, word },
    }),
    logprobs: logprobs.length === 0 ? undefined : logprobs,
  });
}
