/** Relay paths: what each one asks for (relay.md 2). Pure; the longest thing it does is look a path up. */
import type { Language } from '../../contract/error-codes.ts';
import type { Endpoint } from '../../gateway/exchange.ts';
import { decodeSegment } from './path-segment.ts';
import { matchTaskPath, pictureIdOf, type TaskMatch } from './task-paths.ts';

/** What a URL means on the relay. Undefined from `matchRelayPath` means that it is no relay path at all. */
export type RelayMatch =
  | {
      readonly kind: 'call';
      readonly path: string;
      readonly endpoint: Endpoint;
      readonly pathModel: string | undefined;
    }
  | TaskMatch
  | { readonly kind: 'models'; readonly path: string; readonly shape: ModelShape; readonly model: string | undefined }
  | { readonly kind: 'not-implemented'; readonly path: string; readonly endpoint: Endpoint }
  | { readonly kind: 'not-found'; readonly path: string; readonly endpoint: Endpoint; readonly hint: Hint | undefined }
  | { readonly kind: 'wrong-method'; readonly path: string; readonly endpoint: Endpoint; readonly allow: string };

/** What the caller should do instead. */
export type Hint = Readonly<Record<Language, string>>;

/** `by-headers`: Anthropic or Google shape when their headers are there, else OpenAI's. */
export type ModelShape = 'by-headers' | 'gemini' | 'openai';

const chat: Endpoint = {
  surface: 'openai',
  capability: 'chat',
  format: 'openai-chat',
  retryClass: 'A',
  rateLimited: true,
};
const completions: Endpoint = { ...chat, capability: 'completions', format: 'openai-completions' };
const embeddings: Endpoint = { ...chat, capability: 'embeddings', format: 'openai-embeddings' };
const moderations: Endpoint = {
  ...chat,
  capability: 'moderations',
  format: 'openai-moderations',
  defaultModel: 'omni-moderation-latest',
};
const responses: Endpoint = { ...chat, format: 'openai-responses' };
const compaction: Endpoint = {
  ...chat,
  capability: 'responses-compact',
  format: 'openai-responses-compact',
  retryClass: 'B',
  priceEnding: '-openai-compact',
};
const messages: Endpoint = { ...chat, surface: 'anthropic', format: 'anthropic-messages' };
const generate: Endpoint = { ...chat, surface: 'gemini', format: 'gemini-generate', delivery: 'whole' };
const geminiEmbeddings: Endpoint = {
  ...chat,
  surface: 'gemini',
  capability: 'embeddings',
  format: 'gemini-embeddings',
};
const predict: Endpoint = {
  ...generate,
  capability: 'images',
  format: 'gemini-predict',
  retryClass: 'B',
  operation: 'predict',
};
const countTokens: Endpoint = { ...messages, capability: 'count-tokens', operation: 'count_tokens' };
const images: Endpoint = {
  ...chat,
  capability: 'images',
  format: 'openai-images',
  retryClass: 'B',
  defaultModel: 'dall-e-2',
  secondModel: 'gpt-image-1',
};
const imageEdits: Endpoint = { ...images, capability: 'image-edits', format: 'openai-image-edits', form: 'images' };
/** Few vendors vary an image that nothing is said about: it has no second model, and others answer 501 (relay.md 2.6). */
const imageVariations: Endpoint = {
  ...chat,
  capability: 'image-variations',
  format: 'openai-image-variations',
  form: 'images',
  retryClass: 'B',
  defaultModel: 'dall-e-2',
  unserved: 'variations_not_served',
};
/** Edits of texts, on the path that forms with images once shared. */
const edits: Endpoint = { ...chat, capability: 'edits', format: 'openai-edits', asForm: imageEdits };
const speech: Endpoint = {
  ...chat,
  capability: 'speech',
  format: 'openai-speech',
  retryClass: 'B',
  defaultModel: 'tts-1',
};
const transcription: Endpoint = {
  ...chat,
  capability: 'transcription',
  format: 'openai-transcription',
  form: 'audio',
  defaultModel: 'whisper-1',
};
const translation: Endpoint = { ...transcription, capability: 'translation', format: 'openai-translation' };
const rerank: Endpoint = { ...chat, capability: 'rerank', format: 'rerank' };
/** One growing JSON array, unless the query asks for events. */
const streamGenerate: Endpoint = { ...generate, delivery: 'json-array' };

/** Paths below `/v1` that are answered by POST. */
const CALLS: ReadonlyMap<string, Endpoint> = new Map([
  ['/v1/chat/completions', chat],
  ['/v1/completions', completions],
  ['/v1/embeddings', embeddings],
  ['/v1/moderations', moderations],
  ['/v1/responses', responses],
  ['/v1/responses/compact', compaction],
  ['/v1/messages', messages],
  ['/v1/messages/count_tokens', countTokens],
  ['/v1/edits', edits],
  ['/v1/images/generations', images],
  ['/v1/images/edits', imageEdits],
  ['/v1/images/variations', imageVariations],
  ['/v1/audio/speech', speech],
  ['/v1/audio/transcriptions', transcription],
  ['/v1/audio/translations', translation],
  ['/v1/rerank', rerank],
  ['/v2/rerank', rerank],
  ['/rerank', rerank],
  ['/v1beta/openai/chat/completions', chat],
  ['/v1beta/openai/embeddings', embeddings],
]);

/** Paths that name the model: what stands at `{model}` may hold slashes. */
const MODEL_CALLS: ReadonlyMap<string, Endpoint> = new Map([
  ['/v1/engines/{model}/embeddings', embeddings],
  ['/v1beta/models/{model}:generateContent', generate],
  ['/v1beta/models/{model}:streamGenerateContent', streamGenerate],
  ['/v1beta/models/{model}:embedContent', { ...geminiEmbeddings, operation: 'embedContent' }],
  ['/v1beta/models/{model}:batchEmbedContents', { ...geminiEmbeddings, operation: 'batchEmbedContents' }],
  ['/v1beta/models/{model}:predict', predict],
  ['/v1beta/models/{model}:countTokens', { ...generate, capability: 'count-tokens', operation: 'countTokens' }],
]);

/** Every path that answers a POST by asking a model, `{model}` for its name. What holds for the relay holds for each. */
export const relayCallPaths: readonly string[] = [...CALLS.keys(), ...MODEL_CALLS.keys()];

/** First segments below `/v1` that no version of Tollgate serves, whatever the method. */
const NEVER_SERVED = new Set([
  'files',
  'fine-tunes',
  'fine_tuning',
  'assistants',
  'threads',
  'batches',
  'vector_stores',
  'uploads',
  'containers',
  'conversations',
  'videos',
]);

const RESPONSE_STATE = /^\/v1\/responses\/[^/]+(?:\/(?:cancel|input_items))?$/;
/** A drawing mode may stand before `mj`; `/api/mj/` is the management API's own list. */
const TASKS = /^\/(?:(?!api\/)[a-z-]{1,20}\/)?mj\/|^\/suno\//;
const ONE_VERSION: Hint = { en: 'the base URL must end in /v1, once', zh: '基础地址须以 /v1 结尾，且只出现一次' };
const UPGRADE_ONLY: Hint = { en: 'this path is opened by a WebSocket upgrade', zh: '此路径须以 WebSocket 升级打开' };
/** Paths of clients whose base URL lacks `/v1`, or to which it is added once more (C22, C36). */
const TWO_VERSIONS = /^\/v1(?:beta|alpha)?\/v1(?:beta|alpha)?\//;
const LACKS_VERSION =
  /^\/(?:(?:chat\/)?completions|embeddings|moderations|(?:images|audio)\/.+|(?:responses|messages|models)(?:\/.+)?)$/;
/** Looks like the relay and belongs to the management API (management-api.md 3.19). */
const BILLING = /^\/v1\/dashboard\/billing\/(?:subscription|usage)$/;
/** Spellings that could mean another path to a server behind us; an encoded dot or slash has no place in ours. */
const UNSAFE = /\.\.|%2e|%2f|;|\/\/|\\/i;
const ENGINE_EMBEDDINGS = /^\/v1\/engines\/(.+)\/embeddings$/;
const GEMINI_ACTION = /^\/(v1|v1beta|v1alpha)\/models\/(.+):([A-Za-z]+)$/;
const MODEL_NAME = /^(?:models|publishers\/google\/models)\//;

/** Path of a request line without its query; undefined for absolute-form and other odd targets. */
export function pathOf(target: string): string | undefined {
  if (!target.startsWith('/')) return undefined;
  const end = target.search(/[?#]/);
  const path = end < 0 ? target : target.slice(0, end);
  const collapsed = path.startsWith('//') ? path.replace(/^\/+/, '/') : path;
  return collapsed.length > 1 && collapsed.endsWith('/') ? collapsed.slice(0, -1) : collapsed;
}

/** What the method and path ask for; undefined when the path belongs to somebody else. */
export function matchRelayPath(
  method: string,
  rawPath: string,
  query: () => URLSearchParams = () => new URLSearchParams(),
): RelayMatch | undefined {
  const path = rawPath.startsWith('/hf/v1') ? rawPath.slice(3) : rawPath;
  if (BILLING.test(path)) return undefined;
  const exact = CALLS.get(path);
  if (exact !== undefined) {
    if (method === 'POST') return { kind: 'call', path, endpoint: exact, pathModel: undefined };
    return { kind: 'wrong-method', path, endpoint: exact, allow: 'POST' };
  }
  if (isBelow(path, '/v1') || isBelow(path, '/v1beta') || isBelow(path, '/v1alpha'))
    return matchVersioned(method, path);
  // Where Google's packages bring files.
  if (isBelow(path, '/upload/v1beta')) return { kind: 'not-implemented', path, endpoint: generate };
  if (TASKS.test(path)) return matchTask(method, path, query);
  if (LACKS_VERSION.test(path)) return { kind: 'not-found', path, endpoint: chat, hint: ONE_VERSION };
  return undefined;
}

/** Pictures are shown elsewhere, to sessions, too. */
function matchTask(method: string, path: string, query: () => URLSearchParams): RelayMatch | undefined {
  if (UNSAFE.test(path)) return { kind: 'not-found', path, endpoint: chat, hint: undefined };
  const match = matchTaskPath(method, path, query);
  if (match !== undefined) return match;
  if (pictureIdOf(path) !== undefined) {
    const reads = method === 'GET' || method === 'HEAD';
    return reads ? undefined : { kind: 'wrong-method', path, endpoint: chat, allow: 'GET, HEAD' };
  }
  return { kind: 'not-found', path, endpoint: chat, hint: undefined };
}

function isBelow(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/');
}

function matchVersioned(method: string, path: string): RelayMatch {
  const surface = surfaceOf(path);
  if (UNSAFE.test(path)) return { kind: 'not-found', path, endpoint: surface, hint: undefined };
  const models = matchModels(method, path);
  if (models !== undefined) return models;
  const engine = ENGINE_EMBEDDINGS.exec(path)?.[1];
  if (engine !== undefined) {
    if (method !== 'POST') return { kind: 'wrong-method', path, endpoint: embeddings, allow: 'POST' };
    return modelCall('/v1/engines/{model}/embeddings', path, decodeSegment(engine));
  }
  if (path === '/v1/realtime') {
    if (method !== 'GET') return { kind: 'wrong-method', path, endpoint: surface, allow: 'GET' };
    return { kind: 'not-found', path, endpoint: surface, hint: UPGRADE_ONLY };
  }
  if (NEVER_SERVED.has(path.split('/')[2] ?? '') || RESPONSE_STATE.test(path)) {
    return { kind: 'not-implemented', path, endpoint: surface };
  }
  return { kind: 'not-found', path, endpoint: surface, hint: TWO_VERSIONS.test(path) ? ONE_VERSION : undefined };
}

/** Lists, single models and Gemini's actions, which hang on model names. */
function matchModels(method: string, path: string): RelayMatch | undefined {
  const reads = method === 'GET' || method === 'HEAD';
  const action = GEMINI_ACTION.exec(path);
  if (action !== null && !reads && method !== 'DELETE') {
    if (method !== 'POST') return { kind: 'wrong-method', path, endpoint: generate, allow: 'POST' };
    return matchGemini(path, action[2] ?? '', action[3] ?? '');
  }
  const list = /^\/(v1|v1beta|v1alpha|v1beta\/openai)\/models(?:\/(.+))?$/.exec(path);
  if (list === null) return undefined;
  const endpoint = list[1] === 'v1' || list[1] === 'v1beta/openai' ? chat : generate;
  if (!reads) {
    if (method === 'DELETE' && list[2] !== undefined) return { kind: 'not-implemented', path, endpoint };
    return { kind: 'wrong-method', path, endpoint, allow: 'GET, HEAD' };
  }
  const shape = list[1] === 'v1' ? 'by-headers' : list[1] === 'v1beta/openai' ? 'openai' : 'gemini';
  return { kind: 'models', path, shape, model: list[2] === undefined ? undefined : decodeSegment(list[2]) };
}

function matchGemini(path: string, name: string, action: string): RelayMatch {
  const model = decodeSegment(name).replace(MODEL_NAME, '');
  return modelCall(`/v1beta/models/{model}:${action}`, path, model);
}

/** Serves nothing but what the table holds, so that whoever walks `relayCallPaths` meets every call. */
function modelCall(route: string, path: string, pathModel: string): RelayMatch {
  const endpoint = MODEL_CALLS.get(route);
  if (endpoint === undefined) return { kind: 'not-implemented', path, endpoint: generate };
  return { kind: 'call', path, endpoint, pathModel };
}

function surfaceOf(path: string): Endpoint {
  if (isBelow(path, '/v1/messages')) return messages;
  if (path.startsWith('/v1beta/openai')) return chat;
  return isBelow(path, '/v1') ? chat : generate;
}
