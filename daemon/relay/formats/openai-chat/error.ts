/**
 * Errors that stand inside a 200 answer.
 */
import type { ReportedError } from '../../canonical/chat.ts';
import { flaggedContent } from '../../failure-body.ts';
import type { JsonObject } from '../../json.ts';
import { asList, asObject, asObjects, asText, asWord, present } from '../fields.ts';

/** The error of a chunk or body that is nothing else, in any shape of compatible servers; undefined for an answer. */
export function readReportedError(body: JsonObject): ReportedError | undefined {
  const error = asObject(body.error) ?? (asList(body.choices).length === 0 ? asideError(body) : failedChoice(body));
  if (error === undefined) {
    const text = asWord(body.error) ?? asWord(asObject(body.x_groq)?.error) ?? bareMessage(body);
    return text === undefined ? undefined : { message: text, raw: body };
  }
  const code = typeof error.code === 'number' ? String(error.code) : asWord(error.code);
  return present({
    status: statusOf(error),
    type: asWord(error.type),
    code,
    message: asText(error.message) ?? JSON.stringify(error),
    raw: body,
  });
}

/** An error in the report that MiniMax puts beside every answer, or in the envelope that Cloudflare puts around it. */
function asideError(body: JsonObject): JsonObject | undefined {
  if (body.success === false) return asObject(asList(body.errors)[0]);
  const report = asObject(body.base_resp);
  if (typeof report?.status_code !== 'number' || report.status_code === 0) return flaggedContent(body);
  return { code: report.status_code, message: asText(report.status_msg) ?? '' };
}

/** What servers say that write no more than words, beside a code of their own or none. */
function bareMessage(body: JsonObject): string | undefined {
  const { choices, usage, data } = body;
  // Some have nothing where an answer has its data (FastGPT, SiliconFlow).
  const saysNothing = choices === undefined && (data === null || (data === undefined && usage === undefined));
  if (!saysNothing) return undefined;
  return asWord(body.message) ?? asWord(body.msg) ?? asWord(body.detail);
}

/** A choice that ended by a failure of its vendor (OpenRouter, Mistral), with what it says of that. */
function failedChoice(body: JsonObject): JsonObject | undefined {
  const choice = asObjects(body.choices).find((entry) => entry.finish_reason === 'error');
  return choice && (asObject(choice.error) ?? { code: 502, message: 'the answer failed' });
}

/** A number in 400..599, wherever the error names it. */
function statusOf(error: JsonObject): number | undefined {
  for (const value of [error.status, error.code]) {
    const status = Number(value);
    if (Number.isInteger(status) && status >= 400 && status <= 599) return status;
  }
  return undefined;
}
