/**
 * Builds adapters for the vendors that speak OpenAI's formats and differ by data: address, codes, a few quirks.
 * Source of every fact in the folders beside this file: the vendor's own reference, read 2026-08 to 2026-11.
 */
import { type FailureRule, readFailure } from '../failure.ts';
import type { Capability, FormatId, UpstreamTraits } from '../format.ts';
import { asObjects, asWord } from '../formats/fields.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import type { AuthScheme, ProviderAdapter, SideRequest, UpstreamCall } from '../provider.ts';
import { fillMaxTokens } from './anthropic/options.ts';

/** What one vendor is, as far as it differs from the others. */
export interface CompatibleProvider {
  readonly id: string;
  readonly owner: string;
  readonly label: { en: string; zh: string };
  readonly channelType: number;
  readonly baseUrl: string;
  readonly speaks: ProviderAdapter['speaks'];
  /** Paths that are not OpenAI's own. */
  readonly paths?: Partial<Record<FormatId, string>>;
  /** Paths of single operations, where a format has several. */
  readonly operations?: Readonly<Record<string, string>>;
  /** Default true. */
  readonly streamUsage?: boolean;
  readonly traits?: Partial<UpstreamTraits>;
  readonly models: readonly string[];
  readonly headers?: (call: UpstreamCall) => Record<string, string>;
  /** Undefined: the key as a bearer token. */
  readonly auth?: (call: UpstreamCall) => AuthScheme;
  readonly keyParts?: ProviderAdapter['keyParts'];
  readonly keyClaims?: ProviderAdapter['keyClaims'];
  readonly otherProblem?: ProviderAdapter['otherProblem'];
  readonly formatsFor?: ProviderAdapter['formatsFor'];
  readonly avoids?: ProviderAdapter['avoids'];
  readonly inlines?: ProviderAdapter['inlines'];
  readonly reportsBeside?: ProviderAdapter['reportsBeside'];
  readonly endWords?: ProviderAdapter['endWords'];
  readonly foreignAnswers?: ProviderAdapter['foreignAnswers'];
  readonly answersOnly?: ProviderAdapter['answersOnly'];
  readonly atOnce?: ProviderAdapter['atOnce'];
  readonly isWholeAddress?: ProviderAdapter['isWholeAddress'];
  readonly pending?: ProviderAdapter['pending'];
  /** The vendor's own codes, in the order in which they are tried. */
  readonly failures?: readonly FailureRule[];
  /** Changes members of `body`, a copy made for this call; what lies deeper must be copied before it is changed. */
  readonly amend?: (body: JsonObject, call: UpstreamCall) => void;
  /** Calls that `amend` may change; undefined: all of them. */
  readonly amends?: (call: UpstreamCall) => boolean;
  /** The address of single formats that stand elsewhere; undefined: by the usual rule. */
  readonly ownPath?: (call: UpstreamCall) => string | undefined;
  /** Replaces the address rule. */
  readonly path?: (call: UpstreamCall) => string;
  /** Undefined: `GET /v1/models`. */
  readonly listModels?: ProviderAdapter['listModels'];
  readonly balance?: ProviderAdapter['balance'];
}

/** OpenAI's paths below the base address. */
const defaultPaths: Partial<Record<FormatId, string>> = {
  'openai-chat': '/v1/chat/completions',
  'openai-completions': '/v1/completions',
  'openai-edits': '/v1/edits',
  'openai-embeddings': '/v1/embeddings',
  'openai-moderations': '/v1/moderations',
  'openai-responses': '/v1/responses',
  'openai-responses-compact': '/v1/responses/compact',
  rerank: '/v1/rerank',
  'openai-images': '/v1/images/generations',
  'openai-image-edits': '/v1/images/edits',
  'openai-image-variations': '/v1/images/variations',
  'openai-speech': '/v1/audio/speech',
  'openai-transcription': '/v1/audio/transcriptions',
  'openai-translation': '/v1/audio/translations',
  'openai-realtime': '/v1/realtime',
};

/** The version that Anthropic's dialect demands, also from those who borrow it; a client's own header takes its place. */
function anthropicVersion(format: FormatId): Record<string, string> {
  return format === 'anthropic-messages' ? { 'anthropic-version': '2023-06-01' } : {};
}

/** A path for an address that may already end in `/v1`, as operators like to paste it. */
export function pathOn(baseUrl: string, path: string): string {
  const base = baseUrl.replace(/\/$/, '');
  const hasVersion = base.endsWith('/v1') || base.startsWith('https://gateway.ai.cloudflare.com/');
  return hasVersion && path.startsWith('/v1/') ? path.slice('/v1'.length) : path;
}

/** A path for an address that may have been pasted with its end: the beginning of such a path, which names it itself. */
export function pathBeside(baseUrl: string, end: RegExp, path: string): string {
  const pasted = end.exec(baseUrl)?.[0];
  if (pasted === undefined) return path;
  if (path.startsWith(`${pasted}/`)) return path.slice(pasted.length);
  return baseUrl.slice(0, -pasted.length) + path;
}

/** Names in an OpenAI-style model list. */
export function readModelIds(body: Json): string[] | undefined {
  const list = isObject(body) ? body.data : body;
  if (!Array.isArray(list)) return undefined;
  return asObjects(list).flatMap((entry) => asWord(entry.id) ?? []);
}

/** The model list under the vendor's base address. */
export function modelList(path: string, auth: AuthScheme = { kind: 'bearer' }): SideRequest<string[]> {
  return { method: 'GET', path, auth, read: readModelIds };
}

export function openaiCompatible(provider: CompatibleProvider): ProviderAdapter {
  const { amend, failures } = provider;
  return {
    id: provider.id,
    owner: provider.owner,
    label: provider.label,
    channelType: provider.channelType,
    baseUrl: provider.baseUrl,
    speaks: provider.speaks,
    streamUsage: provider.streamUsage ?? true,
    models: provider.models,
    path: provider.path ?? ((call) => provider.ownPath?.(call) ?? pathOn(call.baseUrl, pathOf(provider, call))),
    auth: provider.auth ?? (() => ({ kind: 'bearer' })),
    readFailure: (reply) => readFailure(reply, provider.id, failures),
    listModels: provider.listModels ?? (({ baseUrl }) => modelList(pathOn(baseUrl, '/v1/models'))),
    amends: (call) => demandsLimit(call) || (amend !== undefined && provider.amends?.(call) !== false),
    ...(provider.traits === undefined ? {} : { traits: provider.traits }),
    headers: (call) => ({ ...anthropicVersion(call.format), ...provider.headers?.(call) }),
    ...(provider.keyParts === undefined ? {} : { keyParts: provider.keyParts }),
    ...(provider.keyClaims === undefined ? {} : { keyClaims: provider.keyClaims }),
    ...(provider.otherProblem === undefined ? {} : { otherProblem: provider.otherProblem }),
    ...(provider.formatsFor === undefined ? {} : { formatsFor: provider.formatsFor }),
    ...(provider.avoids === undefined ? {} : { avoids: provider.avoids }),
    ...(provider.inlines === undefined ? {} : { inlines: provider.inlines }),
    ...(provider.reportsBeside === undefined ? {} : { reportsBeside: provider.reportsBeside }),
    ...(provider.endWords === undefined ? {} : { endWords: provider.endWords }),
    ...(provider.foreignAnswers === undefined ? {} : { foreignAnswers: provider.foreignAnswers }),
    ...(provider.answersOnly === undefined ? {} : { answersOnly: provider.answersOnly }),
    ...(provider.atOnce === undefined ? {} : { atOnce: provider.atOnce }),
    ...(provider.isWholeAddress === undefined ? {} : { isWholeAddress: provider.isWholeAddress }),
    ...(provider.pending === undefined ? {} : { pending: provider.pending }),
    ...(provider.balance === undefined ? {} : { balance: provider.balance }),
    amendBody: (body, call) => amended(amend, demandsLimit(call) ? fillMaxTokens(body, call) : body, call),
  };
}

function pathOf(provider: CompatibleProvider, call: UpstreamCall): string {
  const own = call.operation === undefined ? undefined : provider.operations?.[call.operation];
  const path = own ?? provider.paths?.[call.format] ?? defaultPaths[call.format];
  // The planner asks for no format that `speaks` does not list.
  if (path === undefined) throw new TypeError(`${provider.id} has no path for ${call.format}`);
  return call.format === 'openai-realtime' ? `${path}?model=${encodeURIComponent(call.model)}` : path;
}

/** Anthropic's dialect demands a limit of every answer, also from those who borrow it (relay.md 6.1). */
function demandsLimit({ format, capability }: UpstreamCall): boolean {
  return format === 'anthropic-messages' && capability === 'chat';
}

function amended(amend: CompatibleProvider['amend'], body: Json, call: UpstreamCall): Json {
  if (amend === undefined || !isObject(body)) return body;
  const copy = { ...body };
  amend(copy, call);
  return copy;
}

/** Capabilities for `speaks`, each with OpenAI's own format. */
export function openaiFormats<const C extends Exclude<Capability, 'chat'>>(
  ...capabilities: C[]
): Partial<Record<Capability, readonly FormatId[]>> {
  const formats: Partial<Record<Capability, readonly FormatId[]>> = { chat: ['openai-chat'] };
  for (const capability of capabilities) {
    const format = ownFormats[capability];
    if (format !== undefined) formats[capability] = [format];
  }
  return formats;
}

const ownFormats: Partial<Record<Capability, FormatId>> = {
  completions: 'openai-completions',
  edits: 'openai-edits',
  embeddings: 'openai-embeddings',
  moderations: 'openai-moderations',
  rerank: 'rerank',
  images: 'openai-images',
  'image-edits': 'openai-image-edits',
  'image-variations': 'openai-image-variations',
  speech: 'openai-speech',
  transcription: 'openai-transcription',
  translation: 'openai-translation',
  'responses-compact': 'openai-responses-compact',
};
