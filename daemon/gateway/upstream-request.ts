/** The parts of an upstream request that do not depend on its format: address, headers, deadlines (relay.md 12.6, 12.7). */
import type { Capability } from '../relay/format.ts';
import type { HeaderChange } from '../relay/header-rules.ts';
import type { ProviderAdapter, UpstreamCall } from '../relay/provider.ts';
import type { CallTimeouts, OutgoingRequest } from '../upstream/transport.ts';

type Setting = Readonly<Record<string, unknown>>;

/** Milliseconds; 0 = none. Channels may override them (relay.md 12.7). */
export interface UpstreamTimeouts {
  readonly connectMs: number;
  readonly headersMs: number;
  readonly firstTokenMs: number;
  readonly idleMs: number;
  /** Longest answer, however it comes. */
  readonly answerMaxMs: number;
}

/**
 * These think long before they speak: their silence is given twice the time (relay.md 17.4). Hosts of many vendors put
 * the vendor in front of a name, and some write it with capitals.
 */
const THINKERS = /(?:^|\/)(?:o[134]|gpt-[5-9])|think|reason/i;

/** The deadlines of one call: the installation's, where the channel has none of its own. */
export function timeoutsOf(defaults: UpstreamTimeouts, setting: Setting, call: UpstreamCall): CallTimeouts {
  const idleMs = defaults.idleMs * (THINKERS.test(call.model) ? 2 : 1);
  return {
    headersMs: seconds(setting.timeout_first_byte) ?? defaults.headersMs,
    // An answer that comes as a whole has no first token.
    firstTokenMs: call.stream ? (seconds(setting.timeout_first_token) ?? defaults.firstTokenMs) : 0,
    idleMs: seconds(setting.timeout_idle) ?? idleMs,
    totalMs: defaults.answerMaxMs,
  };
}

function seconds(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value * 1000 : undefined;
}

/** Longest time for a socket and for TLS, each. */
export function connectMsOf(defaults: UpstreamTimeouts, setting: Setting): number {
  return seconds(setting.timeout_connect) ?? defaults.connectMs;
}

/** Proxy of a channel; undefined without one. */
export function proxyOf(setting: Setting): string | undefined {
  const { proxy } = setting;
  return typeof proxy === 'string' && proxy.trim() !== '' ? proxy.trim() : undefined;
}

/** The channel's own address, or its type's, as paths are put behind it. */
export function baseAddressOf(adapter: ProviderAdapter, own: string | null): string {
  const address = own || adapter.baseUrl;
  return adapter.isWholeAddress === true ? address : address.replace(/\/$/, '');
}

/** The adapter's path on the channel's own address; an adapter may name a whole URL, but no other origin (S24). */
export function addressOf(adapter: ProviderAdapter, call: UpstreamCall): string {
  const path = adapter.path(call);
  if (path.startsWith('/')) return call.baseUrl + path;
  return path;
}

/** Answers that need not be JSON. */
const ACCEPTED: Partial<Record<Capability, string>> = { speech: '*/*', transcription: '*/*', translation: '*/*' };

/** Headers of a call without its credentials and without what the client adds; names and values in turn. */
export function headersOf(adapter: ProviderAdapter, call: UpstreamCall, version: string): string[] {
  const agent = call.setting.user_agent;
  const headers = [
    'content-type',
    'application/json',
    'accept',
    call.stream ? 'text/event-stream' : (ACCEPTED[call.capability] ?? 'application/json'),
    'user-agent',
    typeof agent === 'string' && agent !== '' ? agent : `Tollgate/${version}`,
  ];
  if (!call.stream) headers.push('accept-encoding', 'gzip, br');
  if (call.organization !== undefined) headers.push('openai-organization', call.organization);
  const own = Object.entries(adapter.headers?.(call) ?? {}).map(
    ([name, value]): HeaderChange => [name.toLowerCase(), value],
  );
  return withChanges(headers, own);
}

/** Puts changes over headers: a later value replaces an earlier one, undefined takes it away. */
export function withChanges(headers: readonly string[], changes: readonly HeaderChange[]): string[] {
  const changed = new Map<string, string>();
  for (let at = 0; at + 1 < headers.length; at += 2) changed.set(headers[at] ?? '', headers[at + 1] ?? '');
  for (const [name, value] of changes) {
    if (value === undefined) changed.delete(name);
    else changed.set(name, value);
  }
  return [...changed].flat();
}

/** The headers of a body that is no JSON and does not lie in memory. */
export function withForm(
  headers: string[],
  { body, contentType }: { readonly body: OutgoingRequest['body']; readonly contentType?: string | undefined },
): string[] {
  if (contentType === undefined) return headers;
  return withChanges(headers, [
    ['content-type', contentType],
    ['content-length', String(body?.length ?? 0)],
  ]);
}
