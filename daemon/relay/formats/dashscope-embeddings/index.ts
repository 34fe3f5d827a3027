/** Alibaba DashScope's own embeddings. Source: providers/ali.md, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { EmbeddingsAnswer, EmbeddingsRequest } from '../../canonical/embeddings.ts';
import { emptyUsage, tokenCount } from '../../canonical/usage.ts';
import { asNumber, asObject, asObjects, asWord, present } from '../fields.ts';
import { loseTitles, loseUnsaid } from '../openai-embeddings/index.ts';
import { readVector } from '../openai-embeddings/vectors.ts';
import { textsOf } from '../text-inputs.ts';

/** What a text is embedded for, in the words of several vendors. */
const purposes: Readonly<Record<string, 'query' | 'document'>> = {
  query: 'query',
  search_query: 'query',
  RETRIEVAL_QUERY: 'query',
  document: 'document',
  passage: 'document',
  search_document: 'document',
  RETRIEVAL_DOCUMENT: 'document',
};

export const dashscopeEmbeddings: UpstreamCallFormat<EmbeddingsRequest, EmbeddingsAnswer> = {
  id: 'dashscope-embeddings',

  encodeRequest(asked, scope) {
    loseUnsaid(asked, scope);
    loseTitles(asked, scope);
    const purpose = asked.task === undefined ? undefined : purposes[asked.task];
    if (asked.task !== undefined && purpose === undefined) scope.lose('input_type');
    const parameters = present({ text_type: purpose, dimension: asked.dimensions });
    return { body: { model: asked.model, input: { texts: textsOf(asked) }, parameters } };
  },

  decodeAnswer(body) {
    const found = asObjects(asObject(body.output)?.embeddings);
    const entries = found.toSorted((one, other) => (asNumber(one.text_index) ?? 0) - (asNumber(other.text_index) ?? 0));
    if (entries.length === 0) return asWord(body.code) === undefined ? { kind: 'empty' } : { kind: 'error', body };
    const prompt = tokenCount(asObject(body.usage)?.total_tokens);
    const usage = prompt === 0 ? undefined : { ...emptyUsage(), prompt };
    return { vectors: entries.map(({ embedding }) => readVector(embedding)), usage };
  },
};
