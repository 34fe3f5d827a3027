/**
 * Finds what an upstream says went wrong, wherever its vendor writes it (relay.md 4.3 rule 2).
 */
import type { ErrorDetails } from '../errors.ts';
import { asList, asObject, asObjects, asWord, parseJson } from './formats/fields.ts';
import { isObject, type Json, type JsonObject } from './json.ts';

/** An error as its vendor words it. */
export interface ReportedFailure {
  readonly message: string;
  readonly type: string | undefined;
  /** Numbers are written as text. */
  readonly code: string | undefined;
  readonly param: string | null | undefined;
  /** What clients of Anthropic's dialect decide on; undefined where nothing of that is said. */
  readonly details: ErrorDetails | undefined;
  /** A number in 400..599 that the body gives as its status. */
  readonly status: number | undefined;
}

/** Undefined for a body that is no JSON, or says nothing. */
export function readFailureBody(text: string): ReportedFailure | undefined {
  const parsed = parseJson(text);
  // Some servers wrap a JSON text in a JSON string, or an error in a list.
  const body = typeof parsed === 'string' ? (asObject(parseJson(parsed)) ?? { message: parsed }) : first(parsed);
  if (body === undefined) return undefined;
  const inner =
    asObject(body.error) ??
    asObject(asObject(body.response)?.error) ??
    upperCased(asObject(body.Response)?.Error) ??
    asObject(first(body.errors ?? null)) ??
    failedReport(body) ??
    failedChoice(body) ??
    flaggedContent(body);
  const message = findMessage(body, inner);
  if (message === undefined) return undefined;
  const code =
    wordOrNumber(inner?.code) ??
    wordOrNumber(body.code) ??
    wordOrNumber(body.error_code) ??
    wordOrNumber(asObject(body.header)?.code);
  return {
    message,
    type: asWord(inner?.type) ?? (body.type === 'error' ? undefined : asWord(body.type)) ?? asWord(body.statusText),
    code,
    param: readParam(inner?.param ?? body.param) ?? complainedOf(body.detail),
    details: readDetails(asObject(inner?.details)),
    status: statusOf(inner?.status_code, inner?.status, inner?.code, body.status_code, body.status, body.code),
  };
}

/** A word of a closed list, such as `thread_not_found`: nothing that could name an account or a key. */
const detailWord = /^[a-z][a-z_]{0,63}$/;

/** The code of the vendor's list, and which features it speaks of; everything else may be about the account. */
function readDetails(details: JsonObject | undefined): ErrorDetails | undefined {
  const code = asWord(details?.error_code);
  if (code === undefined || !detailWord.test(code)) return undefined;
  const unsupported = asList(details?.unsupported).flatMap((word) => asWord(word) ?? []);
  const isPlain = unsupported.length > 0 && unsupported.every((word) => detailWord.test(word));
  return isPlain ? { error_code: code, unsupported } : { error_code: code };
}

/** The error in the report that MiniMax puts beside its answers in every dialect; undefined where it tells of none. */
export function failedReport({ base_resp }: JsonObject): JsonObject | undefined {
  const report = asObject(base_resp);
  if (typeof report?.status_code !== 'number' || report.status_code === 0) return undefined;
  return { code: report.status_code, message: report.status_msg ?? '' };
}

/** A choice that ended by a failure of its vendor (OpenRouter, Mistral), with what it says of that. */
export function failedChoice({ choices }: JsonObject): JsonObject | undefined {
  const choice = asObjects(choices).find((entry) => entry.finish_reason === 'error');
  return choice && (asObject(choice.error) ?? { code: 502, message: 'the answer failed' });
}

/** The error of an answer that is missing because of what it holds: MiniMax says so by flags alone. */
export function flaggedContent({
  input_sensitive,
  output_sensitive,
  base_resp: report,
}: JsonObject): JsonObject | undefined {
  const isFlagged = input_sensitive === true || output_sensitive === true;
  if (!isFlagged || (asObject(report)?.status_code ?? 0) !== 0) return undefined;
  return { code: 'content_filter', message: 'the content was filtered', status: 400 };
}

/** Tencent's error, whose members begin with capitals. */
function upperCased(value: Json | undefined): JsonObject | undefined {
  const error = asObject(value);
  return error === undefined ? undefined : { code: error.Code ?? null, message: error.Message ?? null };
}

function first(value: Json | undefined): JsonObject | undefined {
  return isObject(value) ? value : asObject(asList(value)[0]);
}

function findMessage(body: JsonObject, inner: JsonObject | undefined): string | undefined {
  const places: (Json | undefined)[] = [
    inner?.message,
    body.error,
    body.message,
    body.msg,
    body.err,
    body.error_msg,
    body.detail,
    asObject(body.header)?.message,
    body.Message,
    asObject(body.x_groq)?.error,
  ];
  for (const place of places) {
    const message = readText(place);
    if (message !== undefined) return message;
  }
  return inner === undefined ? undefined : JSON.stringify(inner);
}

/** A text, or the list of complaints that validating servers send. */
function readText(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  const details = Array.isArray(value) ? value : asObject(value)?.detail;
  if (typeof details === 'string') return details;
  const complaints = asList(details).map((entry) => asWord(asObject(entry)?.msg) ?? asWord(entry));
  const texts = complaints.filter((text) => text !== undefined);
  return texts.length === 0 ? undefined : texts.join('; ');
}

/** The member that a validating server complains of first. */
function complainedOf(detail: Json | undefined): string | undefined {
  return asWord(asList(asObject(asList(detail)[0])?.loc).at(-1));
}

function wordOrNumber(value: Json | undefined): string | undefined {
  return typeof value === 'number' ? String(value) : asWord(value);
}

function readParam(value: Json | undefined): string | null | undefined {
  return value === null ? null : asWord(value);
}

function statusOf(...values: (Json | undefined)[]): number | undefined {
  for (const value of values) {
    const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
    if (typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599) return status;
  }
  return undefined;
}
