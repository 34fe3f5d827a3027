/**
 * The Anthropic Messages format: both directions, streamed and whole.
 * Knows the wire, the canonical shape and what Claude models accept by their version; knows no account, price or host.
 */
import type { ChatFormat } from '../../format.ts';
import { decodeRequest } from './decode-request.ts';
import { decodeResponse } from './decode-response.ts';
import { decodeStream } from './decode-stream.ts';
import { encodeRequest } from './encode-request.ts';
import { encodeResponse } from './encode-response.ts';
import { encodeStream } from './encode-stream.ts';
import { findAnthropicUsage } from './usage.ts';

export const anthropicMessages: ChatFormat = {
  id: 'anthropic-messages',
  inlines: ['image', 'document'],
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  decodeStream,
  encodeStream,
  readUsage: findAnthropicUsage,
};
