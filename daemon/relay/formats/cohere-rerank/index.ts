/** Cohere's `/v2/rerank`. Source: providers/cohere.md, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { RerankAnswer, RerankRequest } from '../../canonical/rerank.ts';
import { asWord, present } from '../fields.ts';
import { loseUnsaid } from '../openai-embeddings/index.ts';
import { documentText, readRanking, readRerankUsage } from '../rerank/index.ts';

export const cohereRerank: UpstreamCallFormat<RerankRequest, RerankAnswer> = {
  id: 'cohere-rerank',

  encodeRequest(asked, scope) {
    const { max_tokens_per_doc, ...others } = asked.own;
    loseUnsaid({ unsaid: Object.keys(others) }, scope);
    const documents = asked.documents.map(documentText);
    const limits = present({ top_n: asked.topN, max_tokens_per_doc });
    return { body: { model: asked.model, query: asked.query, documents, ...limits } };
  },

  decodeAnswer(body, _, scope) {
    const results = readRanking(body.results);
    if (results.length === 0) return { kind: 'empty' };
    return { ...present({ id: asWord(body.id) }), results, usage: readRerankUsage(body, scope) };
  },
};
