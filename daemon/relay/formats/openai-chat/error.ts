/**
 * Errors that stand inside a 200 answer.
 */
import type { ReportedError } from '../../canonical/chat.ts';
import { failedChoice, failedReport, flaggedContent } from '../../failure-body.ts';
import type { JsonObject } from '../../json.ts';
import { asList, asObject, asText, asWord, present } from '../fields.ts';

/** The error of a chunk or body that is nothing else, in any shape of compatible servers; undefined for an answer. */
export function readReportedError(body: JsonObject): ReportedError | undefined {
  const error =
    asObject(body.error) ??
    failedReport(body) ??
    (asList(body.choices).length === 0 ? asideError(body) : failedChoice(body));
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

/** An error in the envelope that Cloudflare puts around every answer, or what MiniMax says by flags. */
function asideError(body: JsonObject): JsonObject | undefined {
  return body.success === false ? asObject(asList(body.errors)[0]) : flaggedContent(body);
}

/** What servers say that write no more than words, beside a code of their own or none. */
function bareMessage(body: JsonObject): string | undefined {
  const { choices, usage, data } = body;
  // Some have nothing where an answer has its data (FastGPT, SiliconFlow).
  const saysNothing = choices === undefined && (data === null || (data === undefined && usage === undefined));
  if (!saysNothing) return undefined;
  return asWord(body.message) ?? asWord(body.msg) ?? asWord(body.error_msg) ?? asWord(body.detail);
}

/** A number in 400..599, wherever the error names it. */
function statusOf(error: JsonObject): number | undefined {
  for (const value of [error.status, error.code]) {
    const status = Number(value);
    if (Number.isInteger(status) && status >= 400 && status <= 599) return status;
  }
  return undefined;
}
