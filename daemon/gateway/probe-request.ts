/** What a channel test asks (relay.md 12.10): the smallest call that shows whether a model answers. Pure. */
import type { ProbeWish } from '../domain/channel-probe.ts';
import type { Capability } from '../relay/format.ts';
import { isResponsesOnly } from '../relay/formats/openai-responses/model-rules.ts';
import type { ProviderAdapter } from '../relay/provider.ts';
import type { Canary } from './canary.ts';
import type { Endpoint } from './exchange.ts';
import { capabilitiesNamed, DRAWING_NAME } from './model-capabilities.ts';

/** A test's endpoint and body. */
export interface ProbeRequest {
  readonly endpoint: Endpoint;
  readonly body: Readonly<Record<string, unknown>>;
  /** Set where the path and not the body names the model. */
  readonly pathModel?: string;
}

const chat: Endpoint = {
  surface: 'openai',
  capability: 'chat',
  format: 'openai-chat',
  retryClass: 'A',
  rateLimited: false,
};
const embeddings: Endpoint = { ...chat, capability: 'embeddings', format: 'openai-embeddings' };
const rerank: Endpoint = { ...chat, capability: 'rerank', format: 'rerank' };
const moderations: Endpoint = { ...chat, capability: 'moderations', format: 'openai-moderations' };
const completions: Endpoint = { ...chat, capability: 'completions', format: 'openai-completions' };

/** Drawing, sound and sockets: a test of these would cost real money or need a file. */
const UNTESTABLE_NAME =
  /image|whisper|tts|transcri|-asr|paraformer|gummy|cosyvoice|realtime|audio|sora|video|midjourney|^mj_|suno/;
const SOUND: ReadonlySet<Capability> = new Set(['speech', 'transcription']);
const REASONING_NAME = /^(?:o[134]|gpt-[56])(?:[-.]|$)/;

type EndpointKind = Exclude<ProbeWish['endpoint'], 'auto'> | 'moderations' | 'completions';

/**
 * The call that tests a model on a provider; undefined when it cannot be tested. What suits the model is read from the
 * name that the upstream is told, which an alias hides. A canary asks in place of the greeting.
 */
export function probeRequest(
  adapter: ProviderAdapter,
  { model, upstream }: { readonly model: string; readonly upstream: string },
  wish: Pick<ProbeWish, 'stream' | 'endpoint'>,
  canary?: Canary,
): ProbeRequest | undefined {
  const name = upstream.slice(upstream.lastIndexOf('/') + 1).toLowerCase();
  const kind = wish.endpoint === 'auto' ? suitingKind(adapter, name) : wish.endpoint;
  if (kind === undefined || UNTESTABLE_NAME.test(name) || DRAWING_NAME.test(name)) return undefined;
  const stream = wish.stream === 'on';
  const request = requestOf(kind, { model, name, stream });
  if (canary === undefined) return request;
  const body = canary.body(request.endpoint.format, { model, stream });
  return body && { ...request, body };
}

/** The endpoint that a model of this name answers; undefined when no test suits it. */
function suitingKind(adapter: ProviderAdapter, name: string): EndpointKind | undefined {
  const [wanted] = capabilitiesNamed(name);
  if (wanted === 'rerank') return adapter.speaks.rerank === undefined ? undefined : 'rerank';
  for (const kind of ['embeddings', 'moderations', 'completions'] as const) {
    if (wanted === kind && adapter.speaks[kind] !== undefined) return kind;
  }
  if (adapter.speaks.chat === undefined) return adapter.speaks.embeddings && 'embeddings';
  if (wanted === undefined || SOUND.has(wanted)) return undefined;
  return isResponsesOnly(name) && adapter.speaks.chat.includes('openai-responses') ? 'responses' : 'chat';
}

function requestOf(kind: EndpointKind, of: { model: string; name: string; stream: boolean }): ProbeRequest {
  const { model, name } = of;
  const stream = of.stream ? { stream: true } : {};
  const messages = [{ role: 'user', content: 'hi' }];
  switch (kind) {
    case 'embeddings':
      return { endpoint: embeddings, body: { model, input: ['hello world'] } };
    case 'rerank':
      return { endpoint: rerank, body: { model, query: 'hello', documents: ['hello world', 'goodbye'] } };
    case 'moderations':
      return { endpoint: moderations, body: { model, input: 'hi' } };
    case 'completions':
      return { endpoint: completions, body: { model, prompt: 'hi', max_tokens: roomOf(name), ...stream } };
    case 'responses':
      return { endpoint: { ...chat, format: 'openai-responses' }, body: { model, input: 'hi', ...stream } };
    case 'messages': {
      const endpoint: Endpoint = { ...chat, surface: 'anthropic', format: 'anthropic-messages' };
      return { endpoint, body: { model, messages, max_tokens: roomOf(name), ...stream } };
    }
    case 'gemini': {
      const delivery = of.stream ? 'sse' : 'whole';
      const endpoint: Endpoint = { ...chat, surface: 'gemini', format: 'gemini-generate', delivery };
      const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
      return { endpoint, pathModel: model, body: { contents, generationConfig: { maxOutputTokens: roomOf(name) } } };
    }
    case 'chat': {
      const limit = REASONING_NAME.test(name) ? 'max_completion_tokens' : 'max_tokens';
      return { endpoint: chat, body: { model, messages, [limit]: roomOf(name), ...stream } };
    }
  }
}

/** Tokens for an answer; models that think before they speak need more of them. */
function roomOf(name: string): number {
  if (REASONING_NAME.test(name)) return 64;
  if (name.includes('claude')) return 16;
  if (name.includes('gemini')) return 300;
  return name.includes('thinking') ? 50 : 10;
}
