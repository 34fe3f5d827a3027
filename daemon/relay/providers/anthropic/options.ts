/** What an operator set for Claude models, wherever they are served (relay.md 6.1). */
import { asNumber } from '../../formats/fields.ts';
import { isObject, type Json } from '../../json.ts';
import type { UpstreamCall } from '../../provider.ts';

/** Where neither the client nor the operator names a limit. */
const lastResortMaxTokens = 8192;

/** Headers that `claude.model_headers_settings` adds for the model. */
export function modelHeaders(call: UpstreamCall): Record<string, string> {
  const headers: Record<string, string> = {};
  const wished = asRecord(asRecord(call.options['claude.model_headers_settings'])?.[call.model]);
  for (const [name, value] of Object.entries(wished ?? {})) {
    const entries = (Array.isArray(value) ? value : [value]).filter((entry) => typeof entry === 'string');
    if (entries.length > 0) headers[name.toLowerCase()] = [...new Set(entries)].join(',');
  }
  return headers;
}

/** The output limit that the protocol demands, where the client named none. */
export function fillMaxTokens(body: Json, call: UpstreamCall): Json {
  if (!isObject(body) || (asNumber(body.max_tokens) ?? 0) > 0) return body;
  const limits = asRecord(call.options['claude.default_max_tokens']);
  const own = limits?.[call.model] ?? limits?.default;
  return { ...body, max_tokens: typeof own === 'number' ? own : lastResortMaxTokens };
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : undefined;
}
