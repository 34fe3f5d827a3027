/**
 * Tencent Hunyuan: TokenHub for plain keys, the native interface for keys of three parts.
 * Source: providers/tencent.md, read 2026-11.
 */
import type { FormatId } from '../../format.ts';
import { asObjects, asWord } from '../../formats/fields.ts';
import { isObject, type Json } from '../../json.ts';
import { openaiCompatible, pathOn } from '../openai-compatible.ts';
import { tencentFailures } from './failures.ts';

const tokenHub = 'https://tokenhub.tencentmaas.com';
const native = 'https://hunyuan.tencentcloudapi.com';

/** What the native interface does for each of its formats. */
const actions: Partial<Record<FormatId, string>> = {
  'tencent-hunyuan': 'ChatCompletions',
  'tencent-embeddings': 'GetEmbedding',
};

/** The addresses of plans end in a version of their own, in the place of the usual one; Anthropic's dialect stands beside it. */
function onTokenHub(baseUrl: string, path: string): string {
  if (!plan.test(baseUrl)) return pathOn(baseUrl, path);
  return path === '/v1/messages' ? baseUrl.replace(plan, '/anthropic/v1/messages') : path.replace(/^\/v1/, '');
}

// Source: cloud.tencent.com/document/product/1772, read 2026-11.
const plan = /\/v3$/;

function readOnline(body: Json): string[] | undefined {
  if (!isObject(body) || !Array.isArray(body.data)) return undefined;
  const online = asObjects(body.data).filter(({ status }) => status === undefined || status === 'online');
  return online.flatMap((entry) => asWord(entry.id) ?? []);
}

export const tencent = openaiCompatible({
  id: 'tencent',
  owner: 'tencent',
  label: { en: 'Tencent Hunyuan', zh: '腾讯混元' },
  channelType: 23,
  baseUrl: tokenHub,
  speaks: {
    chat: ['openai-chat', 'openai-responses', 'anthropic-messages', 'tencent-hunyuan'],
    embeddings: ['openai-embeddings', 'tencent-embeddings'],
  },
  keyParts: ['application', 'secretId', undefined],
  formatsFor: ({ secretId }, model) => {
    if (secretId === undefined) return ['openai-chat', 'openai-responses', 'anthropic-messages', 'openai-embeddings'];
    // Natively its embeddings have no model: whatever is named must be what its price is for.
    return /embedding/.test(model) ? ['tencent-embeddings'] : ['tencent-hunyuan'];
  },
  atOnce: ({ format }) => (format === 'tencent-embeddings' ? 50 : undefined),
  path: (call) => {
    // A channel without an address of its own means the one that its key belongs to.
    if (actions[call.format] !== undefined) return call.baseUrl === tokenHub ? `${native}/` : '/';
    const paths: Record<string, string> = {
      'openai-chat': '/v1/chat/completions',
      'openai-responses': '/v1/responses',
      'anthropic-messages': '/v1/messages',
      'openai-embeddings': '/v1/embeddings',
    };
    return onTokenHub(call.baseUrl, paths[call.format] ?? '/');
  },
  auth: ({ format }) => {
    const action = actions[format];
    if (action === undefined) return { kind: 'bearer' };
    return { kind: 'signed', scheme: 'tencent-tc3', settings: { service: 'hunyuan', action } };
  },
  headers: ({ format }): Record<string, string> => {
    const action = actions[format];
    return action === undefined ? {} : { 'x-tc-action': action, 'x-tc-version': '2023-09-01' };
  },
  // The native interface has none, and its key is not for the other's eyes.
  listModels: ({ baseUrl, settings }) =>
    settings.secretId === undefined
      ? { method: 'GET', path: onTokenHub(baseUrl, '/v1/models'), auth: { kind: 'bearer' }, read: readOnline }
      : undefined,
  failures: tencentFailures,
  models: [
    'hy3',
    'hy3-preview',
    'hy4',
    'hunyuan-role-latest',
    'hy-mt2-pro',
    'hy-mt2-plus',
    'hy-mt2-lite',
    'hunyuan-vision-1.5-instruct',
    'deepseek-v4-pro',
    'deepseek-v4-flash',
    'deepseek-v3.2',
    'glm-5.2',
    'kimi-k2.8-preview',
    'minimax-m2.7',
  ],
});
