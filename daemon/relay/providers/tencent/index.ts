/**
 * Tencent Hunyuan: TokenHub for plain keys, the native interface for keys of three parts.
 * Source: providers/tencent.md, read 2026-11.
 */
import { asObjects, asWord } from '../../formats/fields.ts';
import { isObject, type Json } from '../../json.ts';
import { openaiCompatible, pathOn } from '../openai-compatible.ts';
import { tencentFailures } from './failures.ts';

const tokenHub = 'https://tokenhub.tencentmaas.com';
const native = 'https://hunyuan.tencentcloudapi.com';

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
    embeddings: ['openai-embeddings'],
  },
  keyParts: ['application', 'secretId', undefined],
  formatsFor: ({ secretId }) =>
    secretId === undefined
      ? ['openai-chat', 'openai-responses', 'anthropic-messages', 'openai-embeddings']
      : ['tencent-hunyuan'],
  path: (call) => {
    // A channel without an address of its own means the one that its key belongs to.
    if (call.format === 'tencent-hunyuan') return call.baseUrl === tokenHub ? `${native}/` : '/';
    const paths: Record<string, string> = {
      'openai-chat': '/v1/chat/completions',
      'openai-responses': '/v1/responses',
      'anthropic-messages': '/v1/messages',
      'openai-embeddings': '/v1/embeddings',
    };
    return pathOn(call.baseUrl, paths[call.format] ?? '/');
  },
  auth: ({ format }) =>
    format === 'tencent-hunyuan'
      ? { kind: 'signed', scheme: 'tencent-tc3', settings: { service: 'hunyuan', action: 'ChatCompletions' } }
      : { kind: 'bearer' },
  headers: (call): Record<string, string> =>
    call.format === 'tencent-hunyuan' ? { 'x-tc-action': 'ChatCompletions', 'x-tc-version': '2023-09-01' } : {},
  listModels: ({ baseUrl }) => ({
    method: 'GET',
    path: pathOn(baseUrl, '/v1/models'),
    auth: { kind: 'bearer' },
    read: readOnline,
  }),
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
