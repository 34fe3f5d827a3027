/**
 * The OpenAI Responses format: both directions, streamed and whole.
 * Knows the wire and the canonical shape; keeps no state of its own: what an upstream would have to remember is refused
 * when it has to be said in another format.
 */
import type { ChatFormat } from '../../format.ts';
import { decodeRequest } from './decode-request.ts';
import { decodeResponse } from './decode-response.ts';
import { decodeStream } from './decode-stream.ts';
import { encodeRequest } from './encode-request.ts';
import { encodeResponse } from './encode-response.ts';
import { encodeStream } from './encode-stream.ts';
import { findResponsesUsage } from './usage.ts';

export const openaiResponses: ChatFormat = {
  id: 'openai-responses',
  argumentsAsText: true,
  inlines: ['audio'],
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  decodeStream,
  encodeStream,
  readUsage: findResponsesUsage,
};
