/**
 * The chat formats by id. A format reads itself into the canonical shape and writes itself out of it; nobody here
 * translates between two formats, and nobody knows a vendor.
 */
import type { ChatFormat, FormatId, UpstreamFormat } from '../format.ts';
import { aiproxyLibrary } from './aiproxy-library/index.ts';
import { anthropicMessages } from './anthropic-messages/index.ts';
import { baiduWenxin } from './baidu-wenxin/index.ts';
import { bedrockConverse } from './bedrock-converse/index.ts';
import { cohereChat } from './cohere-chat/index.ts';
import { cohereV1Chat } from './cohere-v1-chat/index.ts';
import { cozeChat } from './coze-chat/index.ts';
import { dashscopeChat } from './dashscope-chat/index.ts';
import { difyChat } from './dify-chat/index.ts';
import { geminiGenerate } from './gemini-generate/index.ts';
import { ollamaChat } from './ollama-chat/index.ts';
import { openaiChat } from './openai-chat/index.ts';
import { openaiCompletions } from './openai-completions/index.ts';
import { openaiResponses } from './openai-responses/index.ts';
import { replicatePredictions } from './replicate-predictions/index.ts';
import { tencentHunyuan } from './tencent-hunyuan/index.ts';
import { xunfeiSocket } from './xunfei-socket/index.ts';
import { xunfeiSpark } from './xunfei-spark/index.ts';
import { zhipuV3 } from './zhipu-v3/index.ts';

export const chatFormats: readonly ChatFormat[] = [openaiChat, openaiResponses, anthropicMessages, geminiGenerate];

/** The chat formats of single vendors, which no client speaks. */
const vendorFormats: readonly UpstreamFormat[] = [
  aiproxyLibrary,
  baiduWenxin,
  bedrockConverse,
  cohereChat,
  cohereV1Chat,
  cozeChat,
  dashscopeChat,
  difyChat,
  ollamaChat,
  replicatePredictions,
  tencentHunyuan,
  xunfeiSocket,
  xunfeiSpark,
  zhipuV3,
];

const upstreamFormats: ReadonlyMap<FormatId, UpstreamFormat> = new Map(
  [...chatFormats, ...vendorFormats].map((format) => [format.id, format]),
);

/** The codec of a chat format that an upstream speaks; undefined for formats of other capabilities. */
export function upstreamFormatOf(id: FormatId): UpstreamFormat | undefined {
  return upstreamFormats.get(id);
}

/** The codec of a format that clients converse in, or complete prompts in as they once did; undefined for formats of other capabilities and of vendors. */
export function chatFormatOf(id: FormatId): ChatFormat | undefined {
  return id === openaiCompletions.id ? openaiCompletions : chatFormats.find((format) => format.id === id);
}
