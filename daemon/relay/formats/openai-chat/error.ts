/**
 * Errors that stand inside a 200 answer.
 */
import type { ReportedError } from '../../canonical/chat.ts';
import type { JsonObject } from '../../json.ts';
import { asList, asObject, asObjects, asText, asWord, present } from '../fields.ts';

/** The error of a chunk or body that is nothing else; undefined for an answer. */
export function readReportedError(body: JsonObject): ReportedError | undefined {
  const error = asObject(body.error) ?? (asList(body.choices).length === 0 ? asideError(body) : failedChoice(body));
  if (error === undefined) {
    const text = asWord(body.error) ?? (body.object === 'error' ? asWord(body.message) : undefined);
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
  if (typeof report?.status_code !== 'number' || report.status_code === 0) return undefined;
  return { code: report.status_code, message: asText(report.status_msg) ?? '' };
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
