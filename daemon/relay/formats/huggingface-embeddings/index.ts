/** Feature extraction at Hugging Face's own inference provider. Source: providers/huggingface.md, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { EmbeddingsAnswer, EmbeddingsRequest } from '../../canonical/embeddings.ts';
import { inexpressible, parseJson, present } from '../fields.ts';
import { losePurpose, loseUnsaid } from '../openai-embeddings/index.ts';
import { readVector } from '../openai-embeddings/vectors.ts';
import { textsOf } from '../text-inputs.ts';

/** Members that only this vendor knows, for clients that write them. */
const passed = ['normalize', 'truncate'] as const;

export const huggingfaceEmbeddings: UpstreamCallFormat<EmbeddingsRequest, EmbeddingsAnswer> = {
  id: 'huggingface-embeddings',

  encodeRequest(asked, scope) {
    if (/:(?!hf-inference$)/.test(asked.model)) throw inexpressible('model', 'only hf-inference embeds here');
    const own = { normalize: asked.own?.normalize, truncate: asked.own?.truncate };
    loseUnsaid({ unsaid: asked.unsaid.filter((name) => !passed.some((word) => word === name)) }, scope);
    if (asked.dimensions !== undefined) scope.lose('dimensions');
    losePurpose(asked, scope);
    return { body: { inputs: textsOf(asked), ...present(own) } };
  },

  /** The answer is the list of vectors itself. */
  decodeReply({ body }) {
    const list = parseJson(body.toString('utf8'));
    if (!Array.isArray(list)) return undefined;
    const vectors = list.map(readVector);
    return vectors.length === 0 || vectors.some((vector) => vector.length === 0)
      ? { kind: 'empty' }
      : { vectors, usage: undefined };
  },

  decodeAnswer: (body) => (body.error === undefined ? { kind: 'empty' } : { kind: 'error', body }),
};
