/** Baidu's Wenxin workshop, the first generation. Source: providers/baidu.md (V1), read 2026-11. */
import { readFailure } from '../../failure.ts';
import type { Capability } from '../../format.ts';
import { isObject, type Json } from '../../json.ts';
import type { ProviderAdapter, UpstreamCall } from '../../provider.ts';
import { endpoints } from './endpoints.ts';
import { wenxinFailures } from './failures.ts';

const root = '/rpc/2.0/ai_custom/v1/wenxinworkshop';

const families: Partial<Record<Capability, string>> = {
  embeddings: 'embeddings',
  rerank: 'reranker',
  images: 'text2image',
};

function pathOf({ capability, model }: UpstreamCall): string {
  const endpoint = endpoints[model] ?? model.toLowerCase();
  return `${root}/${families[capability] ?? 'chat'}/${encodeURIComponent(endpoint)}`;
}

/** A lone text becomes a list of one here. */
function withListedInput(body: Json): Json {
  return isObject(body) && typeof body.input === 'string' ? { ...body, input: [body.input] } : body;
}

/** Texts, or images, that one request may ask for. */
function atOnce({ capability, model }: Pick<UpstreamCall, 'capability' | 'model'>): number | undefined {
  if (capability === 'images') return 4;
  if (capability !== 'embeddings') return undefined;
  return model === 'tao-8k' ? 1 : 16;
}

export const baidu: ProviderAdapter = {
  id: 'baidu',
  owner: 'baidu',
  label: { en: 'Baidu Wenxin', zh: '百度文心千帆' },
  channelType: 15,
  baseUrl: 'https://aip.baidubce.com',
  speaks: { chat: ['baidu-wenxin'], embeddings: ['openai-embeddings'], rerank: ['rerank'], images: ['baidu-images'] },
  streamUsage: false,
  atOnce,
  models: Object.keys(endpoints),
  path: pathOf,
  amends: (call) => call.capability === 'embeddings',
  amendBody: withListedInput,
  auth: () => ({ kind: 'signed', scheme: 'baidu-oauth' }),
  readFailure: (reply) => readFailure(reply, 'baidu', wenxinFailures),
};
