/** Perplexity's embeddings, whose numbers are bytes. Source: providers/perplexity.md, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { EmbeddingsAnswer, EmbeddingsRequest } from '../../canonical/embeddings.ts';
import { asNumber, asObjects, asText, present } from '../fields.ts';
import { losePurpose, loseUnsaid } from '../openai-embeddings/index.ts';
import { findEmbeddingsUsage } from '../openai-embeddings/usage.ts';
import { textsOf } from '../text-inputs.ts';

export const perplexityEmbeddings: UpstreamCallFormat<EmbeddingsRequest, EmbeddingsAnswer> = {
  id: 'perplexity-embeddings',

  encodeRequest(asked, scope) {
    loseUnsaid(asked, scope);
    losePurpose(asked, scope);
    const { model, dimensions } = asked;
    // The other form has one bit a number.
    return { body: { model, input: textsOf(asked), encoding_format: 'base64_int8', ...present({ dimensions }) } };
  },

  decodeAnswer(body) {
    const entries = asObjects(body.data).toSorted((one, other) => place(one.index) - place(other.index));
    const vectors = entries.map(({ embedding }) => signed(asText(embedding) ?? ''));
    return vectors.length === 0 ? { kind: 'empty' } : { vectors, usage: findEmbeddingsUsage(body) };
  },
};

function place(index: Parameters<typeof asNumber>[0]): number {
  return asNumber(index) ?? 0;
}

/** Signed bytes in base64. */
function signed(text: string): number[] {
  return [...new Int8Array(Buffer.from(text, 'base64'))];
}
