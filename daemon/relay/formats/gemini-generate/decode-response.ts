/**
 * A whole generateContent answer as the canonical one.
 */
import { TollgateError } from '../../../errors.ts';
import type {
  ChatChoice,
  ChatResponse,
  Finish,
  OutputItem,
  ReportedError,
  TokenLogprob,
} from '../../canonical/chat.ts';
import type { Scope } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asIndex, asList, asNumber, asObject, asObjects, asText, asWord, entryOf, present } from '../fields.ts';
import { decodeModelParts } from './decode-contents.ts';
import { decodeGrounding, placesIn } from './grounding.ts';
import { findSearches, readGeminiUsage } from './usage.ts';
import { camelKeys, finishReasons } from './wire.ts';

/**
 * Throws `prompt_blocked` when the vendor refused the prompt, `empty_response` for an answer without candidates or
 * with nothing but a call that it could not write. A list of pieces (streaming without SSE) is read as one answer.
 */
export function decodeResponse(body: Json, scope: Scope): ChatResponse {
  const fields = asObject(Array.isArray(body) ? joinPieces(body) : body);
  if (fields === undefined) throw new TollgateError('bad_response_body');
  const error = readReportedError(fields);
  if (error !== undefined) return { choices: [], error };
  const choices = asObjects(fields.candidates).map((candidate, at) => decodeCandidate(candidate, at, scope));
  if (choices.length === 0)
    throw new TollgateError(asWord(blockReason(fields)) === undefined ? 'empty_response' : 'prompt_blocked');
  if (choices.every((choice) => choice.items.length === 0 && choice.finish.reason === 'malformed-call')) {
    throw new TollgateError('empty_response');
  }
  return present({
    id: asWord(fields.responseId),
    model: asWord(fields.modelVersion),
    choices,
    usage: readGeminiUsage(fields.usageMetadata),
    toolsUsed: findSearches(fields),
  });
}

/** Why the prompt was refused; undefined when it was not. */
export function blockReason(fields: JsonObject): string | undefined {
  return asWord(asObject(fields.promptFeedback)?.blockReason);
}

/** The last value of each member, the parts of all pieces: gathered, as there may be any number of them. */
function joinPieces(pieces: Json[]): JsonObject {
  const joined = new Map<string, Json>();
  const candidates = new Map<number, { members: Map<string, Json>; parts: JsonObject[] }>();
  for (const piece of asObjects(pieces)) {
    for (const [name, value] of Object.entries(piece)) joined.set(name, value);
    for (const candidate of asObjects(piece.candidates)) {
      const index = asIndex(candidate.index) ?? 0;
      const known = candidates.get(index) ?? { members: new Map<string, Json>(), parts: [] as JsonObject[] };
      candidates.set(index, known);
      for (const [name, value] of Object.entries(candidate)) known.members.set(name, value);
      for (const part of partsOf(candidate)) known.parts.push(part);
    }
  }
  const whole = [...candidates.values()].map(
    ({ members, parts }): JsonObject => ({ ...Object.fromEntries(members), content: { role: 'model', parts } }),
  );
  if (whole.length > 0) joined.set('candidates', whole);
  return Object.fromEntries(joined);
}

/** The parts of a candidate, their keys in camel case. */
export function partsOf(candidate: JsonObject | undefined): JsonObject[] {
  return asObjects(asObject(candidate?.content)?.parts).map(camelKeys);
}

function decodeCandidate(candidate: JsonObject, at: number, scope: Scope): ChatChoice {
  const items = decodeModelParts(partsOf(candidate), () => scope.newId('call_'));
  const hasCalls = items.some((item) => item.type === 'tool-call');
  const logprobs = readLogprobs(candidate.logprobsResult);
  return present({
    index: asIndex(candidate.index) ?? at,
    items: withGrounding(items, candidate),
    finish: decodeFinish(candidate.finishReason, hasCalls),
    logprobs: logprobs.length === 0 ? undefined : logprobs,
  });
}

/** Sources belong to the last text. */
function withGrounding(items: OutputItem[], candidate: JsonObject): OutputItem[] {
  const annotations = decodeGrounding(candidate, placesIn(textOf(items)));
  const at = items.findLastIndex(
    (item) => item.type === 'assistant' && item.parts.some((part) => part.type === 'text'),
  );
  const item = items[at];
  if (annotations.length === 0 || item?.type !== 'assistant') return items;
  const last = item.parts.findLastIndex((part) => part.type === 'text');
  const parts = item.parts.map((part, index) =>
    index === last && part.type === 'text' ? { ...part, annotations } : part,
  );
  return items.map((entry, index) => (index === at ? { ...item, parts } : entry));
}

function textOf(items: readonly OutputItem[]): string {
  const parts = items.flatMap((item) => (item.type === 'assistant' ? item.parts : []));
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

export function decodeFinish(value: Json | undefined, hasCalls: boolean): Finish {
  const word = typeof value === 'number' ? String(value) : asWord(value);
  const told = word === undefined ? 'stop' : (entryOf(finishReasons, word) ?? 'other');
  const reason = hasCalls && (told === 'stop' || told === 'other' || told === 'malformed-call') ? 'tool-calls' : told;
  return present({
    reason,
    raw: word === undefined ? undefined : { dialect: 'gemini-generate' as const, word },
  });
}

/** `logprobsResult`: the chosen tokens, and the best at each place. */
export function readLogprobs(value: Json | undefined): TokenLogprob[] {
  const result = asObject(value);
  const best = asList(result?.topCandidates);
  return asObjects(result?.chosenCandidates).map((chosen, at) => ({
    ...readToken(chosen),
    top: asObjects(asObject(best[at])?.candidates).map(readToken),
  }));
}

function readToken(entry: JsonObject): { token: string; logprob: number } {
  return { token: asText(entry.token) ?? '', logprob: asNumber(entry.logProbability) ?? 0 };
}

/** `{error:{code,message,status}}`, also alone in a list. */
export function readReportedError(body: Json | undefined): ReportedError | undefined {
  const fields = asObject(Array.isArray(body) ? body[0] : body);
  const error = asObject(fields?.error);
  if (fields === undefined || error === undefined) return undefined;
  const status = asNumber(error.code);
  return present({
    status: status !== undefined && status >= 400 && status <= 599 ? status : undefined,
    type: asWord(error.status),
    code: asWord(error.status),
    message: asText(error.message) ?? JSON.stringify(error),
    raw: fields,
  });
}
