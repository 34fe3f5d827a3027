/**
 * The OpenAI chat-completions format, the common tongue of most providers: both directions, streamed and whole.
 * Knows the wire and the canonical shape; must not know any vendor that speaks it.
 */
import type { ChatFormat } from '../../format.ts';
import { decodeRequest } from './decode-request.ts';
import { decodeResponse } from './decode-response.ts';
import { decodeStream } from './decode-stream.ts';
import { encodeRequest } from './encode-request.ts';
import { encodeResponse } from './encode-response.ts';
import { encodeStream } from './encode-stream.ts';
import { findUsage } from './read-usage.ts';

export const openaiChat: ChatFormat = {
  id: 'openai-chat',
  argumentsAsText: true,
  inlines: ['document', 'audio'],
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  decodeStream,
  encodeStream,
  readUsage: findUsage,
};
