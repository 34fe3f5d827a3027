/** Cloudflare Workers AI, in its OpenAI-compatible form; images, reranking and sound in its own. Source: providers/cloudflare.md, read 2026-11. */
import type { Capability, FormatId } from '../../format.ts';
import { asNumber, asObject, asObjects, asWord } from '../../formats/fields.ts';
import { isObject, type Json, type JsonObject } from '../../json.ts';
import type { OtherQuestion, UpstreamCall } from '../../provider.ts';
import { openaiCompatible, openaiFormats } from '../openai-compatible.ts';
import { developerToSystem, removeFields, renameField } from '../wire-edits.ts';

const paths: Partial<Record<FormatId, string>> = {
  'openai-chat': '/v1/chat/completions',
  'openai-embeddings': '/v1/embeddings',
  'openai-responses': '/v1/responses',
};

/** Formats of its own interface. */
const run: ReadonlySet<FormatId> = new Set([
  'cloudflare-images',
  'cloudflare-rerank',
  'cloudflare-speech',
  'cloudflare-transcription',
]);

const answersFile: ReadonlySet<FormatId> = new Set(['cloudflare-images', 'cloudflare-speech']);

type Place = Pick<UpstreamCall, 'baseUrl' | 'other' | 'settings'>;

/** Below the account, unless the operator's address names one already, or is that of an AI Gateway. */
function rootOf({ baseUrl, other, settings }: Place): string {
  if (namesAccount.test(baseUrl)) return '';
  return `/client/v4/accounts/${encodeURIComponent(settings.account ?? other)}/ai`;
}

const namesAccount = /\/ai(?:\/v1)?$|\/workers-ai(?:\/v1)?$/;

/** The account stands in the address, before each key, or here. */
function accountProblem({ other, baseUrl, keys }: OtherQuestion): string | undefined {
  if (other !== '') return /^[a-z\d]+$/i.test(other) ? undefined : 'must be the id of an account, letters and digits';
  const isElsewhere = namesAccount.test(baseUrl) || keys.every((key) => key.includes('|'));
  return isElsewhere ? undefined : 'must be the id of an account, or each key written ACCOUNT_ID|TOKEN';
}

/** Everything that OpenAI has no words for: by the model's own name, which is not encoded. */
function runPath(call: UpstreamCall): string {
  const base = call.baseUrl.replace(/\/v1$/, '');
  const root = /\/workers-ai$/.test(base) ? base : `${base}${rootOf(call)}/run`;
  return `${root}/${call.model}`;
}

function pathOf(call: UpstreamCall): string {
  if (run.has(call.format)) return runPath(call);
  const path = paths[call.format] ?? '';
  return `${rootOf(call)}${call.baseUrl.endsWith('/v1') ? path.slice('/v1'.length) : path}`;
}

/** Texts, or images, that one request may ask for. */
const limits: Partial<Record<Capability, number>> = { embeddings: 100, images: 1, 'image-edits': 1 };

const unknown = ['n', 'logit_bias', 'user', 'store', 'metadata', 'parallel_tool_calls', 'service_tier'];

function fitWorkersAi(body: JsonObject, { format }: UpstreamCall): void {
  if (format !== 'openai-chat') return;
  developerToSystem(body);
  removeFields(body, unknown);
  renameField(body, 'max_completion_tokens', 'max_tokens');
  // Without a limit its own models stop after 256 tokens.
  body.max_tokens ??= 4096;
}

/** It stands beside the version, not below it. */
function listPath(call: Place, page: number): string {
  const root = `${call.baseUrl.replace(/\/v1$/, '')}${rootOf(call)}`;
  return `${root}/models/search?per_page=100&page=${page}&hide_experimental=true`;
}

/** The number of the page after this one; undefined for the last. */
function pageBehind(body: Json): number | undefined {
  const told = asObject(asObject(body)?.result_info);
  const [page, size, total] = [asNumber(told?.page), asNumber(told?.per_page), asNumber(told?.total_count)];
  if (page === undefined || size === undefined || total === undefined) return undefined;
  return page * size < total ? page + 1 : undefined;
}

function readNames(body: Json): string[] | undefined {
  if (!isObject(body) || !Array.isArray(body.result)) return undefined;
  return asObjects(body.result).flatMap((entry) => asWord(entry.name) ?? []);
}

export const cloudflare = openaiCompatible({
  id: 'cloudflare',
  owner: 'cloudflare',
  label: { en: 'Cloudflare Workers AI', zh: 'Cloudflare Workers AI' },
  channelType: 39,
  baseUrl: 'https://api.cloudflare.com',
  speaks: {
    ...openaiFormats('embeddings'),
    chat: ['openai-chat', 'openai-responses'],
    images: ['cloudflare-images'],
    'image-edits': ['cloudflare-images'],
    rerank: ['cloudflare-rerank'],
    speech: ['cloudflare-speech'],
    transcription: ['cloudflare-transcription'],
    translation: ['cloudflare-transcription'],
  },
  atOnce: ({ capability }) => limits[capability],
  inlines: ({ format }) => (format === 'openai-chat' ? ['image'] : []),
  // Some models answer with the image, or the sound, itself.
  headers: ({ format }): Record<string, string> => (answersFile.has(format) ? { accept: '*/*' } : {}),
  keyParts: ['account', undefined],
  otherProblem: accountProblem,
  auth: () => ({ kind: 'bearer', parts: [1] }),
  path: pathOf,
  listModels: (call) => ({
    method: 'GET',
    path: listPath(call, 1),
    auth: { kind: 'bearer', parts: [1] },
    read: readNames,
    next: (body) => {
      const page = pageBehind(body);
      return page === undefined ? undefined : listPath(call, page);
    },
  }),
  failures: [
    { code: ['10000', '9109', '6003', '7003', '7000', '3023'], means: 'bad-key' },
    { code: ['5018', '3041', '5016'], means: 'not-allowed' },
    { code: ['5007', '3042'], means: 'no-model' },
    { code: ['5004', '3003', '5006', '3039', '5019', '5005', '3006'], means: 'bad-request' },
    // What is free on a day.
    { code: '3036', means: 'rate-limit', exhausts: 'key' },
    { code: '3040', means: 'overload' },
    { code: ['3007', '3008'], means: 'overload' },
  ],
  amend: fitWorkersAi,
  models: [
    '@cf/meta/llama-3.3-70b-instruct-fp8-fast',
    '@cf/meta/llama-4-scout-17b-16e-instruct',
    '@cf/meta/llama-3.2-11b-vision-instruct',
    '@cf/meta/llama-3.2-3b-instruct',
    '@cf/meta/llama-3.2-1b-instruct',
    '@cf/meta/llama-3.1-8b-instruct-fp8',
    '@cf/meta/llama-guard-3-8b',
    '@cf/openai/gpt-oss-120b',
    '@cf/openai/gpt-oss-20b',
    '@cf/qwen/qwen3-30b-a3b-fp8',
    '@cf/qwen/qwen2.5-coder-32b-instruct',
    '@cf/qwen/qwen3.8-27b',
    '@cf/deepseek-ai/deepseek-v4-flash-0731',
    '@cf/deepseek-ai/deepseek-v4-pro-0813',
    '@cf/mistralai/mistral-small-3.1-24b-instruct',
    '@cf/google/gemma-4-26b-a4b-it',
    '@cf/moonshotai/kimi-k2.6',
    '@cf/moonshotai/kimi-k2.7-code',
    '@cf/zai-org/glm-4.7-flash',
    '@cf/zai-org/glm-5.2',
    '@cf/ibm-granite/granite-4.0-h-micro',
    '@cf/nvidia/nemotron-3-120b-a12b',
    '@cf/baai/bge-m3',
    '@cf/baai/bge-small-en-v1.5',
    '@cf/baai/bge-base-en-v1.5',
    '@cf/baai/bge-large-en-v1.5',
    '@cf/qwen/qwen3-embedding-0.6b',
    '@cf/baai/bge-reranker-base',
    '@cf/openai/whisper',
    '@cf/openai/whisper-large-v3-turbo',
    '@cf/myshell-ai/melotts',
    '@cf/deepgram/aura-2-en',
    '@cf/black-forest-labs/flux-1-schnell',
    '@cf/black-forest-labs/flux-2-klein-4b',
    '@cf/leonardo/lucid-origin',
    '@cf/leonardo/phoenix-1.0',
  ],
});
