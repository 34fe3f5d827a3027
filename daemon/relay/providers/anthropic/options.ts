/** What an operator set for Claude models, wherever they are served (relay.md 6.1). */
import { asNumber } from '../../formats/fields.ts';
import { defaultOutputLimit } from '../../formats/output-limit.ts';
import { isObject, type Json } from '../../json.ts';
import type { UpstreamCall } from '../../provider.ts';

/** Headers that `claude.model_headers_settings` adds for the model: for the client's name first, then the upstream's. */
export function modelHeaders(call: UpstreamCall): Record<string, string> {
  const headers: Record<string, string> = {};
  const settings = asRecord(call.options['claude.model_headers_settings']);
  const wished = asRecord(settings?.[call.origin ?? call.model] ?? settings?.[call.model]);
  for (const [name, value] of Object.entries(wished ?? {})) {
    const entries = (Array.isArray(value) ? value : [value]).filter((entry) => typeof entry === 'string');
    if (entries.length > 0) headers[name.toLowerCase()] = [...new Set(entries)].join(',');
  }
  return headers;
}

/** The output limit that the protocol demands, where the client named none. */
export function fillMaxTokens(body: Json, call: UpstreamCall): Json {
  if (!isObject(body) || (asNumber(body.max_tokens) ?? 0) > 0) return body;
  const limit = defaultOutputLimit(call.options['claude.default_max_tokens'], [call.origin, call.model]);
  return { ...body, max_tokens: limit };
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : undefined;
}
