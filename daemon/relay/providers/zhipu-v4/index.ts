/** Zhipu's GLM models, on BigModel and Z.ai. Source: providers/zhipu.md, read 2026-11. */
import type { Capability, FormatId } from '../../format.ts';
import type { ProviderAdapter, UpstreamCall } from '../../provider.ts';
import { modelList, openaiCompatible, openaiFormats } from '../openai-compatible.ts';
import { zhipuFailures } from '../zhipu/failures.ts';
import { fitGlm } from './quirks.ts';
import { glmRealtime } from './realtime.ts';

const paths: Partial<Record<FormatId, string>> = {
  'openai-chat': '/chat/completions',
  'openai-embeddings': '/embeddings',
  'zhipu-moderations': '/moderations',
  rerank: '/rerank',
  'openai-images': '/images/generations',
  'openai-speech': '/audio/speech',
  'openai-transcription': '/audio/transcriptions',
};

/** Coding plans live below `/api/coding/paas/v4`, which their operators give as the address. */
function rootOf(baseUrl: string): string {
  // The vendor shows the address of Anthropic's dialect as one of its own.
  const pasted = /^(.*)\/api\/anthropic(?:\/v1)?$/.exec(baseUrl);
  if (pasted !== null) return `${pasted[1]}/api/paas/v4`;
  return /\/v4\/?$/.test(baseUrl) ? '' : '/api/paas/v4';
}

/** What the addresses of the vendor's interfaces end in; a host that stands between may have a path of its own before. */
const ownRoots = /\/api\/(?:(?:coding\/)?paas\/v4|anthropic(?:\/v1)?)$/;

function pathOf({ baseUrl, format, model }: UpstreamCall): string {
  if (format === 'openai-realtime') return `${rootOf(baseUrl)}/realtime?model=${encodeURIComponent(model)}`;
  if (format === 'anthropic-messages') {
    return `${baseUrl.replace(ownRoots, '')}/api/anthropic/v1/messages`;
  }
  return `${rootOf(baseUrl)}${paths[format] ?? ''}`;
}

/** Texts to be turned into vectors or judged, or images, that one request may ask for. */
const limits: Partial<Record<Capability, number>> = { embeddings: 64, images: 1, moderations: 1 };

const adapter = openaiCompatible({
  id: 'zhipu-v4',
  owner: 'zhipu',
  label: { en: 'Zhipu GLM v4', zh: '智谱 GLM v4' },
  channelType: 26,
  baseUrl: 'https://open.bigmodel.cn',
  speaks: {
    ...openaiFormats('embeddings', 'rerank', 'images', 'speech', 'transcription'),
    chat: ['openai-chat', 'anthropic-messages'],
    moderations: ['zhipu-moderations'],
    realtime: ['openai-realtime'],
  },
  // Its streams always report usage.
  streamUsage: false,
  path: pathOf,
  listModels: ({ baseUrl }) => modelList(`${rootOf(baseUrl)}/models`),
  failures: zhipuFailures,
  atOnce: ({ capability }) => limits[capability],
  traits: { ownStops: true },
  amend: fitGlm,
  // They do not say what they are (`object`), and end for reasons of their own.
  foreignAnswers: () => true,
  models: [
    'glm-5.3',
    'glm-5.3-flash',
    'glm-5.2',
    'glm-5.1',
    'glm-5',
    'glm-5-turbo',
    'glm-4.7',
    'glm-4.7-flashx',
    'glm-4.7-flash',
    'glm-4.6',
    'glm-4.5',
    'glm-4.5-x',
    'glm-4.5-air',
    'glm-4.5-airx',
    'glm-4.5-flash',
    'glm-4-plus',
    'glm-4-air-250414',
    'glm-4-long',
    'glm-4-flash-250414',
    'glm-4-flashx-250414',
    'charglm-4',
    'codegeex-4',
    'glm-5v-turbo',
    'glm-4.6v',
    'glm-4.6v-flashx',
    'glm-4.6v-flash',
    'glm-4.5v',
    'glm-4.1v-thinking-flash',
    'glm-4.1v-thinking-flashx',
    'glm-4v-plus-0111',
    'glm-4v-flash',
    'glm-4-voice',
    'glm-ocr',
    'embedding-3',
    'embedding-2',
    'glm-image',
    'cogview-4',
    'cogview-4-250304',
    'cogview-3-flash',
    'rerank',
    'glm-tts',
    'glm-asr-2512',
    'glm-realtime-flash',
    'glm-realtime-air',
  ],
});

/** Its socket knows no subprotocol. */
export const zhipuV4: ProviderAdapter = { ...adapter, subprotocols: [], realtimeDialect: glmRealtime };
