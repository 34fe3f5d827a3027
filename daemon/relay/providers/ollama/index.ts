/** Ollama: by its compatible interface, or by its own where the channel says so (`ollama_native`). Source: providers/ollama.md, read 2026-11. */
import type { FormatId } from '../../format.ts';
import { asObjects, asWord } from '../../formats/fields.ts';
import { isObject, type Json, type JsonObject } from '../../json.ts';
import type { UpstreamCall } from '../../provider.ts';
import { openaiCompatible, openaiFormats, pathBeside } from '../openai-compatible.ts';
import { developerToSystem, removeFields, renameField } from '../wire-edits.ts';

const ownPaths: Partial<Record<FormatId, string>> = {
  'ollama-chat': '/api/chat',
  'ollama-embeddings': '/api/embed',
};
const compatible: Partial<Record<FormatId, string>> = { 'openai-completions': '/v1/completions' };

/** Addresses of its two interfaces, as the server's manual shows them. */
const pasted = /\/(?:v1|api)$/;

/** Members of a chat that the compatible interface does not read. */
const unread = [
  'tool_choice',
  'parallel_tool_calls',
  'logit_bias',
  'top_k',
  'verbosity',
  'metadata',
  'prompt_cache_key',
];

function fitOllama(body: JsonObject, call: UpstreamCall): void {
  // It gives one answer, and does not read how many are wanted.
  delete body.n;
  if (call.format !== 'openai-chat') return;
  renameField(body, 'max_completion_tokens', 'max_tokens');
  developerToSystem(body);
  // A client that forbids tools must not get calls.
  if (body.tool_choice === 'none') delete body.tools;
  removeFields(body, unread);
}

/** The models on the server's disk. */
function readTags(body: Json): string[] | undefined {
  if (!isObject(body) || !Array.isArray(body.models)) return undefined;
  return asObjects(body.models).flatMap((model) => asWord(model.name) ?? asWord(model.model) ?? []);
}

export const ollama = openaiCompatible({
  id: 'ollama',
  owner: 'ollama',
  label: { en: 'Ollama', zh: 'Ollama' },
  channelType: 4,
  baseUrl: 'http://localhost:11434',
  speaks: { ...openaiFormats('completions'), chat: ['openai-chat', 'ollama-chat'], embeddings: ['ollama-embeddings'] },
  formatsFor: (_, _model, setting) => [
    'openai-completions',
    'ollama-embeddings',
    setting.ollama_native === true ? 'ollama-chat' : 'openai-chat',
  ],
  traits: { topK: true, replayReasoning: true },
  inlines: ({ format }) => (format === 'openai-chat' ? ['image'] : []),
  failures: [
    { status: [401, 403], means: 'bad-key' },
    { status: 404, means: 'no-model' },
  ],
  path: ({ baseUrl, format }) =>
    pathBeside(baseUrl, pasted, ownPaths[format] ?? compatible[format] ?? '/v1/chat/completions'),
  amend: fitOllama,
  amends: ({ format }) => format === 'openai-chat' || format === 'openai-completions',
  listModels: ({ baseUrl }) => ({
    method: 'GET',
    path: pathBeside(baseUrl, pasted, '/api/tags'),
    auth: { kind: 'bearer' },
    read: readTags,
  }),
  models: [
    'llama3.3',
    'llama3.2',
    'llama3.1',
    'qwen3',
    'qwen3-coder',
    'qwen3-vl',
    'qwen2.5',
    'qwen2.5-coder',
    'gemma3',
    'deepseek-r1',
    'gpt-oss:20b',
    'gpt-oss:120b',
    'phi4',
    'phi3',
    'mistral',
    'mistral-small3.2',
    'nomic-embed-text',
    'mxbai-embed-large',
    'qwen3-embedding',
    'bge-m3',
    'embeddinggemma',
  ],
});
