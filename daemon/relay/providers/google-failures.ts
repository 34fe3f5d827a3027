/**
 * Refusals in the form that all of Google's interfaces share. Source: providers/gemini.md and vertex.md, read 2026-11.
 */
import type { UpstreamFailure } from '../../errors.ts';
import { type FailureRule, readFailure } from '../failure.ts';
import { asObject, asObjects, asText, asWord, parseJson } from '../formats/fields.ts';
import type { JsonObject } from '../json.ts';
import type { FailedReply } from '../provider.ts';

const googleFailures: readonly FailureRule[] = [
  { code: 'prompt_blocked', means: 'bad-request' },
  { code: 'API_KEY_INVALID', means: 'bad-key' },
  { status: 400, text: /API key expired/i, means: 'bad-key' },
  // About an account's plan, and about a region or an organization; no codes of their own.
  { status: 400, text: /location is not supported/i, means: 'not-allowed' },
  { status: 400, text: /not servable in region|organization policy/i, means: 'no-model' },
  { status: 401, code: 'UNAUTHENTICATED', means: 'bad-key' },
  { status: 402, means: 'no-credit' },
  // What a client names by its id, which another account may have; no codes of their own. Source: issues of
  // googleapis/python-genai (1218), read 2026-11.
  { status: 403, text: /^(?:(?=.*\bFile\b).*may not exist|(?=.*\bCachedContent\b).*not found)/is, means: 'no-model' },
  { status: 403, code: 'PERMISSION_DENIED', means: 'bad-key' },
  // Nor does the code say what is missing: a model, of which both interfaces speak in their own words, or a file.
  {
    status: 404,
    code: 'NOT_FOUND',
    text: /^(?:models\/|Publisher Model ).*\bnot found/i,
    means: 'no-model',
    lacks: 'model',
  },
  { status: 404, code: 'NOT_FOUND', means: 'no-model' },
];

/** Pages of the vendor's console, which name the project, and its hosts, which name the place that is asked. */
const links = /https?:\/\/\S+|(?:\/\/)?(?<![\w.-])(?:[\w-]+\.)*googleapis\.com\b[^\s'"`,)]*/g;
/** Projects by number or name and their places, wherever a text names them: behind a sign any word, else one that is none of English. */
const projectNames =
  /\b(projects?(?:\/|=|:|_number:| number | [#`'"]))[\w-]+(?:[.:][\w-]+)*(?:\/locations\/[\w-]+)?|\b(project )(?=[\w-]*\d)[\w-]+/gi;

/** Reads a refusal: the reason or status word is its code, and a wait inside the body counts like a header's. */
export function readGoogleFailure(
  reply: FailedReply,
  provider: string,
  rules: readonly FailureRule[] = [],
): UpstreamFailure {
  const parsed = parseJson(reply.body);
  const answer = asObject(Array.isArray(parsed) ? parsed[0] : parsed);
  const blocked = asWord(asObject(answer?.promptFeedback)?.blockReason);
  if (blocked !== undefined) return readBlocked(reply, provider, blocked);
  const error = asObject(answer?.error);
  if (error === undefined || asWord(error.status) === undefined) {
    return readFailure(reply, provider, [...rules, ...googleFailures]);
  }
  const details = asObjects(error.details);
  const told = toldWait(details);
  const body = JSON.stringify({
    error: {
      message: asText(error.message)?.replace(links, '***').replace(projectNames, '$1$2***') ?? '',
      type: error.status ?? null,
      code:
        details.map((detail) => asWord(detail.reason)).find((reason) => reason !== undefined) ?? error.status ?? null,
      status_code: error.code ?? null,
    },
  });
  const headers = told === undefined ? reply.headers : { 'retry-after': told, ...reply.headers };
  return readFailure({ ...reply, headers, body }, provider, [...rules, ...googleFailures]);
}

/** A prompt that was refused for what it says: a success for the vendor, a refusal for clients of other dialects. */
function readBlocked(reply: FailedReply, provider: string, reason: string): UpstreamFailure {
  const message = `the prompt was blocked: ${reason}`;
  const error = { message, type: 'prompt_blocked', code: 'prompt_blocked', status_code: 400 };
  return readFailure({ ...reply, body: JSON.stringify({ error }) }, provider, googleFailures);
}

/** `RetryInfo.retryDelay`, e.g. `34.4s`. What is used up by the day comes back at midnight there, whatever the delay says. */
function toldWait(details: readonly JsonObject[]): string | undefined {
  const quotas = details.flatMap((detail) => asObjects(detail.violations));
  if (quotas.some(({ quotaId }) => asWord(quotaId)?.includes('PerDay'))) return '1d';
  return details.map((detail) => asWord(detail.retryDelay)).find((delay) => delay !== undefined);
}
