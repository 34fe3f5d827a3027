/**
 * The Gemini generateContent format: both directions, streamed and whole.
 * Knows the wire, the canonical shape and what Gemini models accept by their generation; the path, which names model
 * and streaming on this wire, belongs to the provider.
 */
import type { ChatFormat } from '../../format.ts';
import { decodeRequest } from './decode-request.ts';
import { decodeResponse } from './decode-response.ts';
import { decodeStream } from './decode-stream.ts';
import { encodeRequest } from './encode-request.ts';
import { encodeResponse } from './encode-response.ts';
import { encodeStream } from './encode-stream.ts';
import { findGeminiUsage } from './usage.ts';

export const geminiGenerate: ChatFormat = {
  id: 'gemini-generate',
  inlines: ['image', 'document', 'audio', 'video'],
  resultsAsObjects: true,
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  decodeStream,
  encodeStream,
  readUsage: findGeminiUsage,
};
