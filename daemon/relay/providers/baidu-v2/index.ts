/** Baidu Qianfan, the OpenAI-compatible generation. Source: providers/baidu.md, read 2026-11. */
import type { Capability, FormatId } from '../../format.ts';
import type { AuthScheme, ProviderAdapter, UpstreamCall } from '../../provider.ts';
import { modelList, openaiCompatible, openaiFormats } from '../openai-compatible.ts';
import { fitQianfan } from './quirks.ts';

const paths: Partial<Record<FormatId, string>> = {
  'openai-chat': '/chat/completions',
  'openai-responses': '/responses',
  'openai-embeddings': '/embeddings',
  rerank: '/rerankers',
  'openai-images': '/images/generations',
  'qianfan-images': '/images/edits',
};

function rootOf(baseUrl: string): string {
  return baseUrl.endsWith('/v2') ? '' : '/v2';
}

/** A pair of IAM keys is traded for a bearer token; a permanent key is one. */
function authOf({ settings }: Pick<UpstreamCall, 'settings'>): AuthScheme {
  return settings.accessKeyId === undefined ? { kind: 'bearer' } : { kind: 'signed', scheme: 'baidu-iam' };
}

/** Attribution to one of the account's applications. */
function applicationOf({ other }: UpstreamCall): Record<string, string> {
  return isApplication(other) ? { appid: other } : {};
}

function isApplication(other: string): boolean {
  return other.startsWith('app-');
}

const speaks = {
  ...openaiFormats('embeddings', 'rerank', 'images'),
  chat: ['openai-chat', 'openai-responses'],
  'image-edits': ['qianfan-images'],
} as const satisfies ProviderAdapter['speaks'];

const allFormats: readonly FormatId[] = Object.values<readonly FormatId[]>(speaks).flat();
/** The other models answer chats alone. */
const knowsResponses = /^(?:deepseek|qwen3|kimi)/i;

const limits: Partial<Record<Capability, number>> = { images: 4, 'image-edits': 1 };

/** Images that one request may ask for, or texts that it may bring to a model of the first generation. */
function atOnce({ capability, model }: Pick<UpstreamCall, 'capability' | 'model'>): number | undefined {
  if (capability !== 'embeddings') return limits[capability];
  if (/^tao-8k$/i.test(model)) return 1;
  return /^(?:embedding-v1|bge-large-(?:zh|en))$/i.test(model) ? 16 : undefined;
}

export const baiduV2 = openaiCompatible({
  id: 'baidu-v2',
  owner: 'baidu',
  label: { en: 'Baidu Qianfan v2', zh: '百度千帆 v2' },
  channelType: 46,
  baseUrl: 'https://qianfan.baidubce.com',
  speaks,
  formatsFor: (_, model) =>
    knowsResponses.test(model) ? allFormats : allFormats.filter((format) => format !== 'openai-responses'),
  keyParts: ['accessKeyId', undefined],
  otherProblem: ({ other }) =>
    other === '' || isApplication(other) ? undefined : 'must be an id such as app-AbCd1234',
  auth: authOf,
  path: ({ baseUrl, format }) => `${rootOf(baseUrl)}${paths[format] ?? ''}`,
  headers: applicationOf,
  atOnce,
  listModels: (call) => modelList(`${rootOf(call.baseUrl)}/models`, authOf(call)),
  failures: [
    { code: 'unsafe_request', means: 'bad-request', tells: 'content_filter' },
    { status: 401, code: 'invalid_model', means: 'not-allowed' },
    { status: 401, code: 'no_parameter_permission', means: 'bad-request' },
    { status: 401, code: 'invalid_iam_token', means: 'bad-key' },
    { status: 403, code: 'access_denied', means: 'no-credit' },
    { code: ['rate_limit_exceeded', 'rpm_rate_limit_exceeded', 'tpm_rate_limit_exceeded'], means: 'rate-limit' },
    { status: 400, code: 'invalid_model', means: 'no-model' },
    { status: 401, text: /model|parameter/i, means: 'not-allowed' },
    { status: 401, means: 'bad-key' },
  ],
  amend: fitQianfan,
  models: [
    'ernie-5.5-flash-preview',
    'ernie-5.1',
    'ernie-5.0',
    'ernie-5.0-thinking-preview',
    'ernie-x1.1',
    'ernie-4.5-turbo-128k',
    'ernie-4.5-turbo-32k',
    'ernie-4.5-turbo-vl',
    'ernie-char-8k',
    'deepseek-v4-pro',
    'deepseek-v4-flash',
    'deepseek-v3.2',
    'deepseek-r1-250528',
    'kimi-k2.5',
    'glm-5',
    'qwen3-235b-a22b-instruct-2507',
    'qwen3-coder-480b-a35b-instruct',
    'embedding-v1',
    'bge-large-zh',
    'bge-large-en',
    'tao-8k',
    'qwen3-embedding-8b',
    'bce-reranker-base',
    'irag-1.0',
    'flux.1-schnell',
    'qwen-image',
    'qwen-image-edit',
    'ernie-irag-edit',
  ],
});
