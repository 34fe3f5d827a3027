/**
 * The chat formats by id. A format reads itself into the canonical shape and writes itself out of it; nobody here
 * translates between two formats, and nobody knows a vendor.
 */
import type { ChatFormat, FormatId } from '../format.ts';
import { anthropicMessages } from './anthropic-messages/index.ts';
import { geminiGenerate } from './gemini-generate/index.ts';
import { openaiChat } from './openai-chat/index.ts';
import { openaiResponses } from './openai-responses/index.ts';

export const chatFormats: readonly ChatFormat[] = [openaiChat, openaiResponses, anthropicMessages, geminiGenerate];

/** The codec of a chat format; undefined for formats of other capabilities. */
export function chatFormatOf(id: FormatId): ChatFormat | undefined {
  return chatFormats.find((format) => format.id === id);
}
