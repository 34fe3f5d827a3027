/** Embeddings of Amazon's Titan models, one text a request. Source: providers/bedrock.md, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { EmbeddingsAnswer, EmbeddingsRequest } from '../../canonical/embeddings.ts';
import { emptyUsage, tokenCount } from '../../canonical/usage.ts';
import { present } from '../fields.ts';
import { losePurpose, loseUnsaid } from '../openai-embeddings/index.ts';
import { readVector } from '../openai-embeddings/vectors.ts';
import { textsOf } from '../text-inputs.ts';

/** The first version knows one size. */
const sized = /titan-embed-text-v[2-9]/;

export const titanEmbeddings: UpstreamCallFormat<EmbeddingsRequest, EmbeddingsAnswer> = {
  id: 'titan-embeddings',

  encodeRequest(asked, scope) {
    loseUnsaid(asked, scope);
    losePurpose(asked, scope);
    const takesSize = sized.test(asked.model);
    if (asked.dimensions !== undefined && !takesSize) scope.lose('dimensions');
    const [inputText = ''] = textsOf(asked);
    return { body: { inputText, ...(takesSize ? present({ dimensions: asked.dimensions }) : {}) } };
  },

  decodeAnswer(body) {
    const vector = readVector(body.embedding);
    if (vector.length === 0) return { kind: 'empty' };
    const prompt = tokenCount(body.inputTextTokenCount);
    return { vectors: [vector], usage: prompt === 0 ? undefined : { ...emptyUsage(), prompt } };
  },
};
