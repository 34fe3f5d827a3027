/** Ark's embeddings of words and media, one vector a request. Source: providers/volcengine.md, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { EmbeddingInput, EmbeddingsAnswer, EmbeddingsRequest } from '../../canonical/embeddings.ts';
import { tokenCount } from '../../canonical/usage.ts';
import type { JsonObject } from '../../json.ts';
import { asList, asObject, inexpressible, present } from '../fields.ts';
import { lose } from '../loss.ts';
import { losePurpose, loseUnsaid } from '../openai-embeddings/index.ts';
import { chatPartOf } from '../openai-embeddings/parts.ts';
import { findEmbeddingsUsage } from '../openai-embeddings/usage.ts';
import { readVector } from '../openai-embeddings/vectors.ts';

export const volcengineEmbeddings: UpstreamCallFormat<EmbeddingsRequest, EmbeddingsAnswer> = {
  id: 'volcengine-embeddings',

  encodeRequest(asked, scope) {
    const { user, input_type: _, task: __, ...own } = asked.own ?? {};
    if (asked.own === undefined) loseUnsaid(asked, scope);
    lose(scope, { user });
    losePurpose(asked, scope);
    const input = asked.inputs.flatMap(partsOf);
    const { model, dimensions } = asked;
    return { body: { ...own, model, input, encoding_format: 'float', ...present({ dimensions }) } };
  },

  /** The answer's `data` is the one vector itself. */
  decodeAnswer(body) {
    const [first] = asList(Array.isArray(body.data) ? body.data : [body.data ?? null]);
    const vector = readVector(asObject(first)?.embedding);
    if (vector.length === 0) return body.error === undefined ? { kind: 'empty' } : { kind: 'error', body };
    const usage = findEmbeddingsUsage(body);
    const details = asObject(asObject(body.usage)?.prompt_tokens_details);
    const promptImage = tokenCount(details?.image_tokens);
    return { vectors: [vector], usage: usage && { ...usage, promptImage } };
  },
};

function partsOf(input: EmbeddingInput): JsonObject[] {
  if (input.kind === 'text') return [{ type: 'text', text: input.text }];
  if (input.kind === 'parts') return input.parts.map(chatPartOf);
  throw inexpressible('input', 'lists of token ids cannot be sent to this channel');
}
