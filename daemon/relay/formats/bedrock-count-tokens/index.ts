/** Amazon Bedrock's CountTokens for a request in Claude's dialect. Source: providers/bedrock.md, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { CountAnswer, CountRequest } from '../../canonical/count.ts';
import { asNumber } from '../fields.ts';

export const bedrockCountTokens: UpstreamCallFormat<CountRequest, CountAnswer> = {
  id: 'bedrock-count-tokens',

  /** The request to be counted; the adapter fits it and packs it as the host wants it. */
  encodeRequest: ({ body }) => ({ body: { ...body } }),

  decodeAnswer(body) {
    // The host's other front answers as Anthropic does.
    const tokens = asNumber(body.inputTokens) ?? asNumber(body.input_tokens);
    if (tokens !== undefined) return { tokens };
    return body.message === undefined && body.error === undefined ? { kind: 'empty' } : { kind: 'error', body };
  },
};
