/** Workers AI's rerankers. Source: providers/cloudflare.md, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { RerankAnswer, RerankRequest } from '../../canonical/rerank.ts';
import { asObject, present } from '../fields.ts';
import { loseUnsaid } from '../openai-embeddings/index.ts';
import { documentText, readRanking, readRerankUsage } from '../rerank/index.ts';

export const cloudflareRerank: UpstreamCallFormat<RerankRequest, RerankAnswer> = {
  id: 'cloudflare-rerank',

  encodeRequest(asked, scope) {
    loseUnsaid(asked, scope);
    const contexts = asked.documents.map((document) => ({ text: documentText(document) }));
    return { body: { query: asked.query, contexts, ...present({ top_k: asked.topN }) } };
  },

  decodeAnswer(body, _, scope) {
    if (body.success === false) return { kind: 'error', body };
    const result = asObject(body.result);
    const results = readRanking(result?.response);
    return results.length === 0 ? { kind: 'empty' } : { results, usage: readRerankUsage(result ?? {}, scope) };
  },
};
