/** SiliconFlow. Knows only its own dialect. */
import { asObject, entryOf } from '../../formats/fields.ts';
import { isForeignVoice } from '../../formats/foreign-voices.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { UpstreamCall } from '../../provider.ts';
import { openaiCompatible, openaiFormats, pathOn } from '../openai-compatible.ts';
import { developerToSystem } from '../wire-edits.ts';

/** Tokens of thought for each effort. Source: providers/siliconflow.md, read 2026-11. */
const budgets: Readonly<Record<string, number>> = {
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 32_768,
  max: 32_768,
};

function fitSiliconFlow(body: JsonObject, { format, model }: UpstreamCall): void {
  if (format === 'openai-speech') fitSpeech(body, model);
  developerToSystem(body);
  const effort = body.reasoning_effort;
  if (typeof effort !== 'string') return;
  delete body.reasoning_effort;
  if (effort === 'none') body.enable_thinking = false;
  const budget = entryOf(budgets, effort);
  if (budget === undefined) return;
  body.enable_thinking = true;
  body.thinking_budget ??= budget;
}

const forms: ReadonlySet<string> = new Set(['mp3', 'opus', 'wav', 'pcm']);

/** What it does not speak in becomes MP3, which it speaks in by itself. */
function fitSpeech(body: JsonObject, model: string): void {
  namedVoice(body, model);
  if (typeof body.response_format === 'string' && !forms.has(body.response_format)) delete body.response_format;
}

/** The vendor's voices are named behind their model; voices made by clients have addresses of their own. */
function namedVoice(body: JsonObject, model: string): void {
  const { voice } = body;
  if (typeof voice !== 'string' || voice.includes(':')) return;
  body.voice = `${model}:${isForeignVoice(voice) ? 'alex' : voice}`;
}

function readBalance(body: Json): number | undefined {
  const total = asObject(asObject(body)?.data)?.totalBalance;
  const amount = Number(total);
  return typeof total === 'string' && total !== '' && Number.isFinite(amount) ? amount : undefined;
}

export const siliconflow = openaiCompatible({
  id: 'siliconflow',
  owner: 'siliconflow',
  label: { en: 'SiliconFlow', zh: '硅基流动' },
  channelType: 40,
  baseUrl: 'https://api.siliconflow.cn',
  speaks: {
    ...openaiFormats('completions', 'embeddings', 'rerank', 'speech', 'transcription'),
    chat: ['openai-chat', 'anthropic-messages'],
    images: ['siliconflow-images'],
    'image-edits': ['siliconflow-images'],
  },
  paths: { 'siliconflow-images': '/v1/images/generations', 'anthropic-messages': '/v1/messages' },
  traits: { topK: true },
  atOnce: ({ capability }) => (capability === 'images' || capability === 'image-edits' ? 4 : undefined),
  failures: [
    { code: '20012', means: 'no-model' },
    { status: 401, means: 'bad-key' },
    { code: '30001', means: 'no-credit' },
    { code: '30003', means: 'no-model' },
    { code: '30011', means: 'rate-limit' },
    { code: ['50501', '50505'], means: 'overload' },
  ],
  amend: fitSiliconFlow,
  balance: ({ baseUrl }) => [
    { method: 'GET', path: pathOn(baseUrl, '/v1/user/info'), auth: { kind: 'bearer' }, read: readBalance },
  ],
  models: [
    'deepseek-ai/DeepSeek-V4-Pro',
    'deepseek-ai/DeepSeek-V4-Flash',
    'deepseek-ai/DeepSeek-V3.2',
    'zai-org/GLM-5.2',
    'zai-org/GLM-5.1',
    'zai-org/GLM-4.7',
    'moonshotai/Kimi-K3',
    'moonshotai/Kimi-K2.7-Code',
    'moonshotai/Kimi-K2.6',
    'MiniMaxAI/MiniMax-M3',
    'MiniMaxAI/MiniMax-M2.5',
    'Qwen/Qwen3.6-35B-A3B',
    'Qwen/Qwen3.6-27B',
    'Qwen/Qwen3.5-122B-A10B',
    'Qwen/Qwen3-235B-A22B-Instruct-2507',
    'openai/gpt-oss-120b',
    'tencent/Hunyuan-A13B-Instruct',
    'BAAI/bge-m3',
    'BAAI/bge-large-zh-v1.5',
    'BAAI/bge-reranker-v2-m3',
    'Qwen/Qwen3-Embedding-8B',
    'Qwen/Qwen3-Reranker-8B',
    'Qwen/Qwen-Image',
    'Qwen/Qwen-Image-Edit',
    'Tongyi-MAI/Z-Image-Turbo',
    'black-forest-labs/FLUX.2-pro',
    'FunAudioLLM/CosyVoice2-0.5B',
    'FunAudioLLM/SenseVoiceSmall',
    'Wan-AI/Wan2.2-T2V-A14B',
    'Wan-AI/Wan2.2-I2V-A14B',
  ],
});
