/**
 * Which headers travel: from the client to an upstream by a short allow-list and a channel's wishes, set by a channel's
 * overrides, and back (relay.md 12.6). Names are lower-case throughout.
 */
import { TollgateError } from '../errors.ts';
import type { FormatId } from './format.ts';
import { isObject, type Json } from './json.ts';

/** Client headers that every format passes on. */
const passedAlways = ['idempotency-key', 'traceparent', 'tracestate'];

const openAiFormats = [
  'openai-chat',
  'openai-completions',
  'openai-edits',
  'openai-embeddings',
  'openai-moderations',
  'openai-responses',
  'openai-responses-compact',
  'openai-images',
  'openai-image-edits',
  'openai-image-variations',
  'openai-speech',
  'openai-transcription',
  'openai-translation',
  'openai-realtime',
] as const satisfies readonly FormatId[];

const passedByFormat: Partial<Record<FormatId, readonly string[]>> = {
  'anthropic-messages': ['anthropic-version', 'anthropic-beta'],
  ...Object.fromEntries(openAiFormats.map((format) => [format, ['openai-beta']])),
};

/** Protocols whose servers get no header of the client's but those that a channel wishes for (relay.md 8.2). */
const passedByWishAlone: ReadonlySet<FormatId> = new Set(['midjourney']);

/** Credentials, hop-by-hop and origin headers: whatever a setting says, they stay here. */
const neverPassed: readonly RegExp[] = [
  /^(?:authorization|proxy-authorization|x-api-key|api-key|x-goog-api-key|mj-api-secret|cookie|set-cookie)$/,
  /^(?:host|content-length|content-type|accept|accept-encoding|expect)$/,
  /^(?:connection|keep-alive|transfer-encoding|te|trailer|upgrade|proxy-connection)$/,
  /^(?:x-forwarded-.*|x-real-ip|forwarded|via|cf-.*|true-client-ip|origin|referer|sec-.*|tollgate-.*)$/,
];

const headerName = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
/** Visible characters, spaces and tabs, and bytes above ASCII; above all no line ends. */
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** What the connection says of itself: the HTTP client writes it or refuses the call. */
const framing = /^(?:host|content-length|connection|keep-alive|transfer-encoding|upgrade|expect)$/;

type ClientHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Headers that the call takes over from the client's request, byte for byte. */
export function passedHeaders(client: ClientHeaders, format: FormatId, passHeaders: unknown): [string, string][] {
  const wished = Array.isArray(passHeaders) ? passHeaders.filter((name) => typeof name === 'string') : [];
  const names = new Set([
    ...(passedByWishAlone.has(format) ? [] : passedAlways),
    ...(passedByFormat[format] ?? []),
    ...wished.map((name) => name.toLowerCase()),
  ]);
  const passed: [string, string][] = [];
  for (const name of names) {
    const value = client[name];
    if (value === undefined || isNeverPassed(name) || !headerName.test(name)) continue;
    passed.push([name, typeof value === 'string' ? value : value.join(', ')]);
  }
  return passed;
}

/** Headers that are lists: what the client says is added to what the adapter says. */
const lists: ReadonlySet<string> = new Set(['anthropic-beta']);

/**
 * What is passed, with the entries that a call has of its own in front where the header is a list.
 * @param own names and values in turn
 */
export function withOwnEntries(passed: [string, string][], own: readonly string[]): [string, string][] {
  return passed.map(([name, value]) => {
    const at = lists.has(name) ? own.indexOf(name) : -1;
    if (at < 0) return [name, value];
    const entries = [own[at + 1] ?? '', value].flatMap((text) => text.split(',')).map((entry) => entry.trim());
    return [name, [...new Set(entries)].filter((entry) => entry !== '').join(',')];
  });
}

function isNeverPassed(name: string): boolean {
  return neverPassed.some((pattern) => pattern.test(name));
}

/** What an override's placeholders stand for. */
export interface HeaderSources {
  /** The channel's key, asked for only by `{api_key}`. */
  apiKey(): string;
  readonly client: ClientHeaders;
}

/** One header of a request: set to a value, or taken away. */
export type HeaderChange = readonly [name: string, value: string | undefined];

const placeholder = /\{(api_key|client_header:([^}]*))\}/g;

/** Why a rule for this header would fail every call that meets it: English; undefined when none would. */
export function headerNameProblem(name: string): string | undefined {
  const lower = name.trim().toLowerCase();
  // Another gateway means all headers by an asterisk, which would be sent as it is.
  if (!headerName.test(lower) || lower === '*') return 'is no name of a header';
  return framing.test(lower) ? 'cannot be set' : undefined;
}

/** Why a rule cannot give a header this value: English; undefined when it can. Null takes the header away. */
export function headerValueProblem(value: unknown): string | undefined {
  if (value === null) return undefined;
  if (typeof value !== 'string') return 'must be text, or null to take the header away';
  const ofText = headerTextProblem(value);
  if (ofText !== undefined) return ofText;
  for (const [, , clientName] of value.matchAll(placeholder)) {
    const problem = clientName === undefined ? undefined : passedNameProblem(clientName.trim());
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Why a header cannot carry a text as it is: English; undefined when it can. */
export function headerTextProblem(text: string): string | undefined {
  return headerValue.test(text) ? undefined : 'must be one line that a header can carry';
}

export function isHeaderName(name: string): boolean {
  return headerName.test(name.toLowerCase());
}

/** Why a client's header of this name would never travel on, however it is wished for: English. */
function passedNameProblem(name: string): string | undefined {
  if (!isHeaderName(name)) return 'is no name of a header';
  return isNeverPassed(name.toLowerCase()) ? `${name} is never passed on` : undefined;
}

/**
 * The headers that `setting.header_override` puts over all others. Throws `channel:header_override_invalid` for
 * anything but an object of texts, for `Host` and `Content-Length`, and for line ends in a value.
 */
export function overriddenHeaders(override: unknown, sources: HeaderSources): HeaderChange[] {
  if (override === undefined || override === null) return [];
  if (!isObject(override)) throw invalid('not an object');
  return Object.entries(override).map(([name, value]) => headerChange(name, value, sources));
}

/** One rule, also of `set_header` in a parameter override; null takes the header away. */
export function headerChange(name: string, value: Json, sources: HeaderSources): HeaderChange {
  const lower = name.trim().toLowerCase();
  if (!headerName.test(lower) || lower === 'host' || lower === 'content-length') throw invalid(`header ${name}`);
  if (value === null) return [lower, undefined];
  if (typeof value !== 'string') throw invalid(`value of ${name}`);
  const filled = value.replace(placeholder, (_, kind: string, clientName?: string) =>
    kind === 'api_key' ? sources.apiKey() : clientHeader(sources.client, clientName ?? ''),
  );
  if (!headerValue.test(filled)) throw invalid(`value of ${name}`);
  return [lower, filled];
}

function clientHeader(client: ClientHeaders, name: string): string {
  const lower = name.trim().toLowerCase();
  const value = isNeverPassed(lower) ? undefined : client[lower];
  return typeof value === 'string' ? value : (value?.join(', ') ?? '');
}

function invalid(what: string): TollgateError {
  return new TollgateError('channel:header_override_invalid', {}, { cause: new Error(what) });
}

/** An entry of a list of names, which may be the client's own: what separates entries or is no plain character is percent-encoded. */
export function asHeaderText(name: string): string {
  return name.replace(/[^\w.[\]-]/gu, (character) => Buffer.from(character).toString('hex').replace(/../g, '%$&'));
}

/** Answer headers that may reach the client; everything else an upstream says about itself stays here. */
export function answerHeaders(
  upstream: ClientHeaders,
  allows: { readonly disposition: boolean; readonly requestId: boolean },
): [string, string][] {
  const kept: [string, string][] = [];
  const disposition = upstream['content-disposition'];
  if (allows.disposition && typeof disposition === 'string') kept.push(['Content-Disposition', disposition]);
  const requestId = upstream['x-request-id'];
  if (allows.requestId && typeof requestId === 'string') kept.push(['X-Upstream-Request-Id', requestId]);
  return kept;
}
