/** Baidu's Wenxin workshop, the first generation. Source: providers/baidu.md (V1), read 2026-11. */
import { readFailure } from '../../failure.ts';
import type { Capability } from '../../format.ts';
import { entryOf } from '../../formats/fields.ts';
import { isObject, type Json } from '../../json.ts';
import type { ProviderAdapter, UpstreamCall } from '../../provider.ts';
import { renameField } from '../wire-edits.ts';
import { endpoints } from './endpoints.ts';
import { wenxinFailures } from './failures.ts';

const root = '/rpc/2.0/ai_custom/v1/wenxinworkshop';

const families: Partial<Record<Capability, string>> = {
  embeddings: 'embeddings',
  rerank: 'reranker',
  images: 'text2image',
};

function pathOf({ capability, model }: UpstreamCall): string {
  const endpoint = entryOf(endpoints, model) ?? model.toLowerCase();
  return `${root}/${families[capability] ?? 'chat'}/${encodeURIComponent(endpoint)}`;
}

/** Embeddings are asked for by a list of texts, and come in one form; the path names the model. */
function fitEmbeddings(body: Json, { capability }: UpstreamCall): Json {
  if (capability !== 'embeddings' || !isObject(body)) return body;
  const { model: _, encoding_format: __, ...kept } = body;
  if (typeof kept.input === 'string') kept.input = [kept.input];
  renameField(kept, 'user', 'user_id');
  return kept;
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
  amendBody: fitEmbeddings,
  auth: () => ({ kind: 'signed', scheme: 'baidu-oauth' }),
  readFailure: (reply) => readFailure(reply, 'baidu', wenxinFailures),
};
