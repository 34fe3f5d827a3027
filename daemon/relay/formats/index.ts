/**
 * The chat formats by id. A format reads itself into the canonical shape and writes itself out of it; nobody here
 * translates between two formats, and nobody knows a vendor.
 */
import type { ChatFormat, FormatId, UpstreamFormat } from '../format.ts';
import { anthropicMessages } from './anthropic-messages/index.ts';
import { geminiGenerate } from './gemini-generate/index.ts';
import { openaiChat } from './openai-chat/index.ts';
import { openaiResponses } from './openai-responses/index.ts';

export const chatFormats: readonly ChatFormat[] = [openaiChat, openaiResponses, anthropicMessages, geminiGenerate];

/** The chat formats of single vendors, which no client speaks. */
const vendorFormats: readonly UpstreamFormat[] = [];

const upstreamFormats: ReadonlyMap<FormatId, UpstreamFormat> = new Map(
  [...chatFormats, ...vendorFormats].map((format) => [format.id, format]),
);

/** The codec of a chat format that an upstream speaks; undefined for formats of other capabilities. */
export function upstreamFormatOf(id: FormatId): UpstreamFormat | undefined {
  return upstreamFormats.get(id);
}

/** The codec of a chat format that clients speak; undefined for formats of other capabilities and of vendors. */
export function chatFormatOf(id: FormatId): ChatFormat | undefined {
  return chatFormats.find((format) => format.id === id);
}
