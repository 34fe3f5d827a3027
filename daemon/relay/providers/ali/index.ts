/**
 * Alibaba DashScope (Model Studio): in its OpenAI-compatible mode, or by its own interface where the channel says so
 * (`dashscope_native`), which plugins need. Source: providers/ali.md, read 2026-11.
 */
import type { FormatId } from '../../format.ts';
import { readsMedia } from '../../formats/dashscope-chat/index.ts';
import { answersAtOnce, taskOperation } from '../../formats/dashscope-images/index.ts';
import { uploadOperation } from '../../formats/dashscope-recordings/index.ts';
import type { ProviderAdapter, UpstreamCall } from '../../provider.ts';
import { modelList, openaiCompatible, openaiFormats } from '../openai-compatible.ts';
import { compatibleRoot, ownRoot, socketRoot } from './addresses.ts';
import { asksForSearch, fitQwen } from './quirks.ts';
import { qwenRealtime } from './realtime.ts';
import { soundFormatOf, soundFormats } from './sound-models.ts';

const paths: Partial<Record<FormatId, string>> = {
  'openai-chat': '/chat/completions',
  'openai-completions': '/completions',
  'openai-embeddings': '/embeddings',
  'openai-responses': '/responses',
};

/** Services of the vendor's own interface. */
const ownPaths: Partial<Record<FormatId, string>> = {
  'dashscope-embeddings': 'embeddings/text-embedding/text-embedding',
  'dashscope-recordings': 'audio/asr/transcription',
  'dashscope-rerank': 'rerank/text-rerank/text-rerank',
  'dashscope-speech': 'aigc/multimodal-generation/generation',
  'dashscope-transcription': 'aigc/multimodal-generation/generation',
};

/** How an image model is asked, by the name that the codec gives it. */
const imagePaths: Readonly<Record<string, string>> = {
  multimodal: 'aigc/multimodal-generation/generation',
  text2image: 'aigc/text2image/image-synthesis',
  image2image: 'aigc/image2image/image-synthesis',
};

/** The service of the vendor's own interface that a call asks; undefined for the compatible mode. */
function serviceOf({ format, operation, model }: UpstreamCall): string | undefined {
  if (format === 'dashscope-images') return imagePaths[operation ?? 'multimodal'];
  if (format === 'dashscope-chat') return readsMedia(model) ? imagePaths.multimodal : 'aigc/text-generation/generation';
  return ownPaths[format];
}

/** Where tasks are run over a socket, whatever they do, and where sessions are held. */
const taskSocket = '/api-ws/v1/inference';
const sessionSocket = '/api-ws/v1/realtime';
/** Formats that are spoken there. */
const taskFormats: ReadonlySet<FormatId> = new Set(['dashscope-speech-socket', 'dashscope-recognition']);
const sessionFormats: ReadonlySet<FormatId> = new Set([
  'openai-realtime',
  'dashscope-speech-session',
  'dashscope-transcription-session',
]);

function pathOf(call: UpstreamCall): string {
  const { baseUrl, format, operation, model } = call;
  if (taskFormats.has(format)) return socketRoot(call) + taskSocket;
  if (sessionFormats.has(format)) return `${socketRoot(call)}${sessionSocket}?model=${encodeURIComponent(model)}`;
  if (operation === uploadOperation) {
    return `${ownRoot(baseUrl)}/api/v1/uploads?action=getPolicy&model=${encodeURIComponent(model)}`;
  }
  if (format === 'anthropic-messages') return `${ownRoot(baseUrl)}/apps/anthropic/v1/messages`;
  if (operation?.startsWith(taskOperation) === true) return `${ownRoot(baseUrl)}/api/v1/${operation}`;
  const own = serviceOf(call);
  if (own !== undefined) return `${ownRoot(baseUrl)}/api/v1/services/${own}`;
  return `${compatibleRoot(baseUrl)}${paths[format] ?? ''}`;
}

/** Models that give out tasks refuse to answer in any other way. */
function headersOf({ other, format, model, stream }: UpstreamCall): Record<string, string> {
  const headers: Record<string, string> = other === '' ? {} : { 'x-dashscope-plugin': other };
  if (format === 'dashscope-images' && !answersAtOnce(model)) headers['x-dashscope-async'] = 'enable';
  if (format === 'dashscope-chat' && stream) headers['x-dashscope-sse'] = 'enable';
  return headers;
}

const speaks = {
  ...openaiFormats('completions'),
  embeddings: ['openai-embeddings', 'dashscope-embeddings'],
  rerank: ['dashscope-rerank'],
  speech: ['dashscope-speech', 'dashscope-speech-socket', 'dashscope-speech-session'],
  transcription: [
    'dashscope-transcription',
    'dashscope-recordings',
    'dashscope-recognition',
    'dashscope-transcription-session',
  ],
  translation: ['dashscope-recognition'],
  realtime: ['openai-realtime'],
  images: ['dashscope-images'],
  'image-edits': ['dashscope-images'],
  chat: ['openai-chat', 'openai-responses', 'anthropic-messages', 'dashscope-chat'],
} as const satisfies ProviderAdapter['speaks'];

/** What has two ways: the compatible one and the vendor's own. */
const compatible: ReadonlySet<FormatId> = new Set([
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'openai-embeddings',
]);
const own: ReadonlySet<FormatId> = new Set(['dashscope-chat', 'dashscope-embeddings']);
/** These have no word for a search that goes with the model's name. */
const searchless: ReadonlySet<FormatId> = new Set(['openai-responses', 'anthropic-messages']);

/** Either way of chatting and embedding, as the channel says; of speaking and listening, the one that the model has. */
function formatsFor(_: unknown, model: string, setting: UpstreamCall['setting']): readonly FormatId[] {
  const isNative = setting.dashscope_native === true;
  const sound = soundFormatOf(model);
  const all: readonly FormatId[] = Object.values<readonly FormatId[]>(speaks).flat();
  const isSearch = asksForSearch(model);
  return all.filter((format) => {
    if (soundFormats.has(format)) return format === sound;
    return !(isNative ? compatible : own).has(format) && !(isSearch && searchless.has(format));
  });
}

/** Texts that one request may bring, and images that one task makes. */
function atOnce({ capability, model }: Pick<UpstreamCall, 'capability' | 'model'>): number | undefined {
  if (capability === 'embeddings') return /-v[12]$/.test(model) ? 25 : 10;
  const isImage = capability === 'images' || capability === 'image-edits';
  return isImage && !answersAtOnce(model) ? 4 : undefined;
}

const adapter = openaiCompatible({
  id: 'ali',
  owner: 'ali',
  label: { en: 'Alibaba DashScope', zh: '阿里通义千问' },
  channelType: 17,
  baseUrl: 'https://dashscope.aliyuncs.com',
  speaks,
  formatsFor,
  traits: { topK: true },
  atOnce,
  path: pathOf,
  headers: headersOf,
  listModels: ({ baseUrl }) => modelList(`${compatibleRoot(baseUrl)}/models`),
  answersOnly: (model) => (/^(?:qwq|qvq)|^qwen.*-omni/.test(model) ? 'stream' : undefined),
  failures: [
    { code: ['InvalidApiKey', 'invalid_api_key'], means: 'bad-key' },
    { code: ['Arrearage', 'AllocationQuota.FreeTierOnly', 'AccessDenied.Unpurchased'], means: 'no-credit' },
    { status: 403, code: ['AccessDenied', 'Model.AccessDenied', 'access_denied'], means: 'not-allowed' },
    { status: 400, text: /^model not exist/i, means: 'no-model' },
    { code: ['ModelNotFound', 'model_not_found', 'InvalidModel'], means: 'no-model', lacks: 'model' },
    { code: ['DataInspectionFailed', 'data_inspection_failed'], means: 'bad-request', tells: 'content_filter' },
    { code: 'IPInfringementSuspect', means: 'bad-request' },
    // Its `insufficient_quota` is a limit of tokens per minute and says nothing of the account.
    { status: 429, means: 'rate-limit' },
    { code: ['ServiceUnavailable', 'ModelServingError', 'ModelUnavailable'], means: 'overload' },
  ],
  amend: fitQwen,
  models: [
    'qwen3.8-max',
    'qwen3.8-27b',
    'qwen3.7-max',
    'qwen3.7-max-latest',
    'qwen3.7-plus',
    'qwen3.6-plus',
    'qwen3.6-flash',
    'qwen3.5-plus',
    'qwen3.5-flash',
    'qwen-max',
    'qwen-max-latest',
    'qwen-plus',
    'qwen-plus-latest',
    'qwen-flash',
    'qwen-long',
    'qwen3-coder-flash',
    'qwen3-coder-next',
    'qwq-plus',
    'qvq-max',
    'qwen-mt-plus',
    'qwen-mt-flash',
    'deepseek-v4-pro',
    'deepseek-v4-flash',
    'glm-5.2',
    'kimi-k3',
    'qwen3-vl-plus',
    'qwen-vl-ocr',
    'qwen3-omni-flash',
    'qwen3-omni-flash-realtime',
    'qwen3.5-omni-plus-realtime',
    'qwen3.8-omni-flash-realtime',
    'qwen-audio-3.1-realtime-plus',
    'qwen-audio-3.1-realtime-flash',
    'qwen3-livetranslate-flash-realtime',
    'qwen3.5-livetranslate-flash-realtime',
    'text-embedding-v4',
    'text-embedding-v3',
    'text-embedding-v2',
    'text-embedding-v1',
    'qwen3-rerank',
    'gte-rerank-v2',
    'qwen3-vl-rerank',
    'qwen-image-2.0-pro',
    'qwen-image-2.0',
    'qwen-image-max',
    'qwen-image-plus',
    'qwen-image-edit-max',
    'qwen-image-edit-plus',
    'qwen-image-edit',
    'wan2.7-image-pro',
    'wan2.7-image',
    'wan2.6-t2i',
    'wan2.5-t2i-preview',
    'wan2.2-t2i-plus',
    'wan2.2-t2i-flash',
    'wanx2.1-t2i-plus',
    'wanx2.1-t2i-turbo',
    'z-image-turbo',
    'qwen3-tts-flash',
    'qwen3-tts-flash-realtime',
    'cosyvoice-v3-flash',
    'sambert-zhichu-v1',
    'qwen3-asr-flash',
    'qwen3-asr-flash-realtime',
    'qwen3-asr-flash-filetrans',
    'paraformer-v2',
    'paraformer-realtime-v2',
    'fun-asr',
    'fun-asr-realtime',
    'gummy-realtime-v1',
  ],
});

/** Its sockets know no subprotocol. */
export const ali: ProviderAdapter = { ...adapter, subprotocols: [], realtimeDialect: qwenRealtime };
