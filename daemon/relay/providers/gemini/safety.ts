/** The operator's thresholds for clients that name none of their own (relay.md 7.2). */
import { encodeSafety } from '../../formats/gemini-generate/safety.ts';
import { isObject, type Json } from '../../json.ts';
import type { UpstreamCall } from '../../provider.ts';

/** The body with `gemini.safety_settings`, unless it has settings already. */
export function fillSafety(body: Json, call: UpstreamCall): Json {
  if (!isObject(body) || body.safetySettings !== undefined || body.safety_settings !== undefined) return body;
  const settings = encodeSafety(thresholdsOf(call.options['gemini.safety_settings']));
  return settings === undefined ? body : { ...body, safetySettings: settings };
}

function thresholdsOf(option: unknown): Readonly<Record<string, string>> | undefined {
  if (typeof option !== 'object' || option === null) return undefined;
  return Object.fromEntries(
    Object.entries(option).flatMap(([category, word]) => (typeof word === 'string' ? [[category, word]] : [])),
  );
}
