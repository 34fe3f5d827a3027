/** MiniMax's embeddings. Source: providers/minimax.md, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { EmbeddingsAnswer, EmbeddingsRequest } from '../../canonical/embeddings.ts';
import { emptyUsage, tokenCount } from '../../canonical/usage.ts';
import { asList, asObject } from '../fields.ts';
import { loseTitles, loseUnsaid } from '../openai-embeddings/index.ts';
import { readVector } from '../openai-embeddings/vectors.ts';
import { textsOf } from '../text-inputs.ts';

const queries = new Set(['query', 'search_query', 'RETRIEVAL_QUERY']);

export const minimaxEmbeddings: UpstreamCallFormat<EmbeddingsRequest, EmbeddingsAnswer> = {
  id: 'minimax-embeddings',

  encodeRequest(asked, scope) {
    loseUnsaid(asked, scope);
    loseTitles(asked, scope);
    if (asked.dimensions !== undefined) scope.lose('dimensions');
    const type = asked.task !== undefined && queries.has(asked.task) ? 'query' : 'db';
    return { body: { model: asked.model, texts: textsOf(asked), type } };
  },

  decodeAnswer(body) {
    // Refusals come as successes with a code.
    const code = asObject(body.base_resp)?.status_code;
    if (typeof code === 'number' && code !== 0) return { kind: 'error', body };
    const vectors = asList(body.vectors).map(readVector);
    if (vectors.length === 0) return { kind: 'empty' };
    const prompt = tokenCount(body.total_tokens);
    return { vectors, usage: prompt === 0 ? undefined : { ...emptyUsage(), prompt } };
  },
};
