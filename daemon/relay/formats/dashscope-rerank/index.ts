/** Alibaba DashScope's own rerank interface. Source: providers/ali.md, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { RerankAnswer, RerankRequest } from '../../canonical/rerank.ts';
import { asObject, asWord, present } from '../fields.ts';
import { loseUnsaid } from '../openai-embeddings/index.ts';
import { documentText, readRanking, readRerankUsage } from '../rerank/index.ts';

export const dashscopeRerank: UpstreamCallFormat<RerankRequest, RerankAnswer> = {
  id: 'dashscope-rerank',

  encodeRequest(asked, scope) {
    loseUnsaid(asked, scope);
    const documents = asked.documents.map(documentText);
    return {
      body: {
        model: asked.model,
        input: { query: asked.query, documents },
        parameters: { return_documents: false, ...present({ top_n: asked.topN }) },
      },
    };
  },

  decodeAnswer(body, _, scope) {
    const results = readRanking(asObject(body.output)?.results);
    if (results.length === 0) return asWord(body.code) === undefined ? { kind: 'empty' } : { kind: 'error', body };
    return { ...present({ id: asWord(body.request_id) }), results, usage: readRerankUsage(body, scope) };
  },
};
