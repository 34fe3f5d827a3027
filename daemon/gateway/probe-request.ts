/** What a channel test asks (relay.md 12.10): the smallest call that shows whether a model answers. Pure. */
import type { ProviderAdapter } from '../relay/provider.ts';
import type { Endpoint } from './exchange.ts';

/** A test's endpoint and body. */
export interface ProbeRequest {
  readonly endpoint: Endpoint;
  readonly body: Readonly<Record<string, unknown>>;
}

const chat: Endpoint = {
  surface: 'openai',
  capability: 'chat',
  format: 'openai-chat',
  retryClass: 'A',
  rateLimited: false,
};

const EMBEDDING_NAME = /embed|bge|m3e/;
const RERANK_NAME = /rerank/;
/** Drawing, sound and sockets: a test of these would cost real money or need a file. */
const UNTESTABLE_NAME = /dall-e|gpt-image|image|whisper|tts|transcri|realtime|audio|sora|video|midjourney|^mj_|suno/;
/** Source: relay.md 13.1. */
const RESPONSES_ONLY = /^(?:o[13]-pro|gpt-5(?:\.\d+)?-pro|computer-use)|-codex|deep-research/;
const REASONING_NAME = /^(?:o[134]|gpt-[56])(?:[-.]|$)/;

/** The call that tests a model on a provider; undefined when it cannot be tested. */
export function probeRequest(adapter: ProviderAdapter, model: string, stream: boolean): ProbeRequest | undefined {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  if (EMBEDDING_NAME.test(name) && adapter.speaks.embeddings !== undefined) {
    const endpoint: Endpoint = { ...chat, capability: 'embeddings', format: 'openai-embeddings' };
    return { endpoint, body: { model, input: ['hello world'] } };
  }
  if (RERANK_NAME.test(name) || UNTESTABLE_NAME.test(name) || adapter.speaks.chat === undefined) return undefined;
  if (RESPONSES_ONLY.test(name) && adapter.speaks.chat.includes('openai-responses')) {
    return { endpoint: { ...chat, format: 'openai-responses' }, body: { model, input: 'hi', ...streaming(stream) } };
  }
  const messages = [{ role: 'user', content: 'hi' }];
  return { endpoint: chat, body: { model, messages, ...limitOf(name), ...streaming(stream) } };
}

function streaming(stream: boolean): { stream?: true } {
  return stream ? { stream: true } : {};
}

/** Room for an answer; models that think before they speak need more of it. */
function limitOf(name: string): Record<string, number> {
  if (REASONING_NAME.test(name)) return { max_completion_tokens: 64 };
  if (name.includes('claude')) return { max_tokens: 16 };
  if (name.includes('gemini')) return { max_tokens: 300 };
  return { max_tokens: name.includes('thinking') ? 50 : 10 };
}
