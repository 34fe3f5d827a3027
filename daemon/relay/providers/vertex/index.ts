/** Google's Vertex AI: Gemini, Claude and the models of others, each in its own dialect. Source: providers/vertex.md, read 2026-11. */
import type { FormatId } from '../../format.ts';
import { asObject, asObjects, asWord } from '../../formats/fields.ts';
import { isObject, type Json, type JsonObject } from '../../json.ts';
import type { ProviderAdapter, UpstreamCall } from '../../provider.ts';
import { anthropicFailures } from '../anthropic/failures.ts';
import { fillMaxTokens, modelHeaders } from '../anthropic/options.ts';
import { fillSafety } from '../gemini/safety.ts';
import { readGoogleFailure } from '../google-failures.ts';
import { vertexAtOnce } from '../google-limits.ts';
import { pageAfter } from '../list-pages.ts';
import { fitMistral } from '../mistral/quirks.ts';
import {
  hostOf,
  locationOf,
  type PlaceQuestion,
  type Publisher,
  placesOf,
  publisherOf,
  vertexModel,
} from './places.ts';
import { countable, fitContents } from './turns.ts';

const formats: Readonly<Record<Publisher, readonly FormatId[]>> = {
  google: ['gemini-generate', 'vertex-embeddings', 'gemini-images', 'gemini-speech'],
  anthropic: ['anthropic-messages'],
  mistralai: ['openai-chat'],
  openapi: ['openai-chat'],
};

const none: readonly FormatId[] = [];
const predicting: readonly FormatId[] = ['vertex-predict', 'gemini-predict'];
/** The newest embeddings know no other way. */
const embeddingsByContent: readonly FormatId[] = ['gemini-embeddings'];

/** Members of Anthropic's dialect that the host refuses. */
const refused: ReadonlySet<string> = new Set(['model', 'service_tier', 'container', 'mcp_servers']);

function pathOf(call: UpstreamCall): string {
  const project = projectOf(call);
  const location = placeOf(call);
  const root = call.baseUrl === '' ? hostOf(location) : '';
  const model = encodeURIComponent(vertexModel(call.model)).replaceAll('%40', '@');
  const generate = actionOf(call);
  // An API key without a project opens Google's own models and nothing else.
  if (project === undefined) return `${root}/v1/publishers/google/models/${model}:${generate}`;
  const place = `${root}/v1/projects/${encodeURIComponent(project)}/locations/${encodeURIComponent(location)}`;
  switch (publisherOf(call.model)) {
    case 'google':
      return `${place}/publishers/google/models/${model}:${generate}`;
    case 'mistralai':
      return `${place}/publishers/mistralai/models/${model}:${call.stream ? 'streamRawPredict' : 'rawPredict'}`;
    case 'anthropic':
      if (call.capability === 'count-tokens') return `${place}/publishers/anthropic/models/count-tokens:rawPredict`;
      return `${place}/publishers/anthropic/models/${model}:${call.stream ? 'streamRawPredict' : 'rawPredict'}`;
    case 'openapi':
      return `${place}/endpoints/openapi/chat/completions`;
  }
}

/** Without a project there are no places to choose from. */
function placeOf(call: PlaceQuestion & Pick<UpstreamCall, 'setting' | 'settings'>): string {
  return projectOf(call) === undefined ? 'global' : locationOf(call);
}

/** `setting.vertex_project`, else the key's own; undefined for an API key that names none. */
function projectOf({ setting, settings }: Pick<UpstreamCall, 'setting' | 'settings'>): string | undefined {
  const { vertex_project: wished } = setting;
  return typeof wished === 'string' && wished !== '' ? wished : settings.project;
}

function actionOf(call: UpstreamCall): string {
  if (predicting.includes(call.format) || call.format === 'vertex-embeddings') return 'predict';
  if (call.operation !== undefined) return call.operation;
  return call.stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
}

function amend(body: Json, call: UpstreamCall): Json {
  if (call.capability !== 'chat' && call.capability !== 'count-tokens') return body;
  if (call.capability === 'count-tokens') {
    if (call.format === 'gemini-generate') return countable(body);
    // The path is the counter's, so the body names the model, as paths do.
    return isObject(body) ? { ...body, model: vertexModel(call.model) } : body;
  }
  if (call.format === 'gemini-generate') return fitContents(fillSafety(body, call));
  if (!isObject(body)) return body;
  if (call.format === 'openai-chat') {
    if (publisherOf(call.model) === 'mistralai') {
      const fitted = { ...body };
      fitMistral(fitted, call);
      return fitted;
    }
    return /llama/i.test(call.model) && !call.model.includes('/') ? { ...body, model: `meta/${call.model}` } : body;
  }
  const filled = fillMaxTokens(body, call);
  if (!isObject(filled)) return filled;
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(filled)) if (!refused.has(name)) kept[name] = value;
  return { ...kept, anthropic_version: 'vertex-2023-10-16' };
}

/** Names without the collection that they stand in. */
function readPublished(body: Json): string[] | undefined {
  if (!isObject(body) || !Array.isArray(body.publisherModels)) return undefined;
  return asObjects(body.publisherModels).flatMap((entry) => asWord(entry.name)?.split('/').at(-1) ?? []);
}

export const vertex: ProviderAdapter = {
  id: 'vertex',
  owner: 'google',
  label: { en: 'Google Vertex AI', zh: 'Google Vertex AI' },
  channelType: 41,
  baseUrl: '',
  speaks: {
    chat: ['gemini-generate', 'anthropic-messages', 'openai-chat'],
    embeddings: ['vertex-embeddings', 'gemini-embeddings'],
    'count-tokens': ['gemini-generate', 'anthropic-messages'],
    images: ['gemini-images', 'vertex-predict', 'gemini-predict'],
    speech: ['gemini-speech'],
    'image-edits': ['gemini-images', 'vertex-predict'],
  },
  keyForm: 'google',
  formatsFor: (settings, model, setting) => {
    if (projectOf({ setting, settings }) === undefined && publisherOf(model) !== 'google') return none;
    if (/^gemini-embedding-[2-9]/.test(model)) return embeddingsByContent;
    return /^imagen/.test(model) ? predicting : formats[publisherOf(model)];
  },
  inlines: ({ format }) => (format === 'anthropic-messages' ? ['image', 'document'] : []),
  // Mistral's answers are not quite of OpenAI's dialect, here as on its own host.
  foreignAnswers: (model) => publisherOf(model) === 'mistralai',
  streamUsage: true,
  atOnce: vertexAtOnce,
  draws: (call) => placesOf(call).length > 1,
  path: pathOf,
  auth: () => ({ kind: 'signed', scheme: 'google' }),
  headers: (call) => (call.format === 'anthropic-messages' ? modelHeaders(call) : {}),
  amendBody: amend,
  readFailure: (reply) => readGoogleFailure(reply, 'vertex', anthropicFailures),
  listModels: (facts) => {
    const root = facts.baseUrl === '' ? hostOf(placeOf({ ...facts, model: '' })) : '';
    const path = `${root}/v1beta1/publishers/google/models?pageSize=300`;
    return {
      method: 'GET',
      path,
      auth: { kind: 'signed', scheme: 'google' },
      read: readPublished,
      next: (body) => pageAfter(path, 'pageToken', asObject(body)?.nextPageToken),
    };
  },
  models: [
    'gemini-3.8-flash',
    'gemini-3.6-flash',
    'gemini-3.5-flash',
    'gemini-3.1-pro-preview',
    'gemini-3.1-flash-lite',
    'gemini-3-pro-image',
    'gemini-3.1-flash-image',
    'gemini-2.5-pro',
    'gemini-2.5-flash',
    'gemini-2.5-flash-lite',
    'claude-opus-5-5',
    'claude-sonnet-5-5',
    'claude-opus-5',
    'claude-sonnet-5',
    'claude-fable-5',
    'claude-opus-4-8',
    'claude-opus-4-7',
    'claude-opus-4-6',
    'claude-sonnet-4-6',
    'claude-sonnet-4-5-20250929',
    'claude-haiku-4-5-20251001',
    'claude-opus-4-5-20251101',
    'gemini-embedding-001',
    'text-embedding-005',
    'text-multilingual-embedding-002',
    'meta/llama-4-maverick-17b-128e-instruct-maas',
    'meta/llama-3.3-70b-instruct-maas',
    'deepseek-ai/deepseek-v3.2-maas',
    'qwen/qwen3-235b-a22b-instruct-2507-maas',
    'openai/gpt-oss-120b-maas',
  ],
};
