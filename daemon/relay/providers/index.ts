/**
 * Every vendor that a channel can name, one line each. An adapter is data and pure functions; what a vendor does
 * differently stands in its folder and nowhere else.
 */
import type { ProviderAdapter } from '../provider.ts';
import { ai360 } from './ai360/index.ts';
import { aiproxyLibrary } from './aiproxy-library/index.ts';
import { ali } from './ali/index.ts';
import { anthropic } from './anthropic/index.ts';
import { azure } from './azure/index.ts';
import { azureFoundry } from './azure-foundry/index.ts';
import { baidu } from './baidu/index.ts';
import { baiduV2 } from './baidu-v2/index.ts';
import { bedrock } from './bedrock/index.ts';
import { cerebras } from './cerebras/index.ts';
import { cloudflare } from './cloudflare/index.ts';
import { cohere } from './cohere/index.ts';
import { coze } from './coze/index.ts';
import { custom } from './custom/index.ts';
import { deepseek } from './deepseek/index.ts';
import { dify } from './dify/index.ts';
import { fastgpt } from './fastgpt/index.ts';
import { fireworks } from './fireworks/index.ts';
import { gemini } from './gemini/index.ts';
import { githubModels } from './github-models/index.ts';
import { groq } from './groq/index.ts';
import { huggingface } from './huggingface/index.ts';
import { jina } from './jina/index.ts';
import { lingyiwanwu } from './lingyiwanwu/index.ts';
import { midjourney, midjourneyPlus } from './midjourney-proxy/index.ts';
import { minimax } from './minimax/index.ts';
import { mistral } from './mistral/index.ts';
import { moka } from './moka/index.ts';
import { moonshot } from './moonshot/index.ts';
import { nvidiaNim } from './nvidia-nim/index.ts';
import { ollama } from './ollama/index.ts';
import { openai } from './openai/index.ts';
import { openrouter } from './openrouter/index.ts';
import { palm } from './palm/index.ts';
import { perplexity } from './perplexity/index.ts';
import { replicate } from './replicate/index.ts';
import { siliconflow } from './siliconflow/index.ts';
import { suno } from './suno/index.ts';
import { tencent } from './tencent/index.ts';
import { together } from './together/index.ts';
import { vertex } from './vertex/index.ts';
import { volcengine } from './volcengine/index.ts';
import { xai } from './xai/index.ts';
import { xinference } from './xinference/index.ts';
import { xunfei } from './xunfei/index.ts';
import { zhipu } from './zhipu/index.ts';
import { zhipuV4 } from './zhipu-v4/index.ts';

export const providers: readonly ProviderAdapter[] = [
  openai,
  anthropic,
  gemini,
  azure,
  azureFoundry,
  ollama,
  bedrock,
  vertex,
  custom,
  openrouter,
  moonshot,
  lingyiwanwu,
  siliconflow,
  mistral,
  deepseek,
  xinference,
  xai,
  ai360,
  cerebras,
  fastgpt,
  fireworks,
  githubModels,
  groq,
  huggingface,
  moka,
  nvidiaNim,
  together,
  volcengine,
  ali,
  baiduV2,
  cloudflare,
  jina,
  minimax,
  palm,
  perplexity,
  zhipuV4,
  aiproxyLibrary,
  baidu,
  cohere,
  coze,
  dify,
  replicate,
  tencent,
  xunfei,
  zhipu,
  midjourney,
  midjourneyPlus,
  suno,
];

const byType: ReadonlyMap<number, ProviderAdapter> = new Map(providers.map((entry) => [entry.channelType, entry]));

/** The adapter of a channel type; undefined for types that nobody serves. */
export function providerOf(channelType: number): ProviderAdapter | undefined {
  return byType.get(channelType);
}
