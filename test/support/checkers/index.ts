/**
 * One checker per chat format, by its id: what a stream of that format may look like and what it says.
 */
import type { FormatId, WireEvent } from '../../../daemon/relay/format.ts';
import type { Json } from '../../../daemon/relay/json.ts';
import type { Answer, Checked } from './answer.ts';
import { checkAnthropicMessages, readMessagesBody } from './anthropic-messages.ts';
import { checkGeminiGenerate, readGeminiBody } from './gemini-generate.ts';
import { checkOpenAiChat, readOpenAiChatBody } from './openai-chat.ts';
import { checkOpenAiResponses, readResponsesBody } from './openai-responses.ts';

export interface Checker {
  checkStream(events: readonly WireEvent[]): Checked;
  readBody(body: Json): Answer;
}

export const checkers: Partial<Record<FormatId, Checker>> = {
  'openai-chat': { checkStream: checkOpenAiChat, readBody: readOpenAiChatBody },
  'openai-responses': { checkStream: checkOpenAiResponses, readBody: readResponsesBody },
  'gemini-generate': { checkStream: checkGeminiGenerate, readBody: readGeminiBody },
  'anthropic-messages': { checkStream: checkAnthropicMessages, readBody: readMessagesBody },
};
