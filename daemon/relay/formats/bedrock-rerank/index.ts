/** Reranking by the models that Amazon Bedrock lends, Amazon's own and Cohere's. Source: providers/bedrock.md, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { RerankAnswer, RerankRequest } from '../../canonical/rerank.ts';
import { emptyUsage } from '../../canonical/usage.ts';
import { present } from '../fields.ts';
import { loseUnsaid } from '../openai-embeddings/index.ts';
import { documentText, readRanking } from '../rerank/index.ts';

/** Documents that one unit of search covers: the host bills by them and does not name them. */
const documentsPerUnit = 100;

export const bedrockRerank: UpstreamCallFormat<RerankRequest, RerankAnswer> = {
  id: 'bedrock-rerank',

  encodeRequest(asked, scope) {
    loseUnsaid(asked, scope);
    const documents = asked.documents.map(documentText);
    return { body: { query: asked.query, documents, ...present({ top_n: asked.topN }) } };
  },

  decodeAnswer(body, asked, scope) {
    const results = readRanking(body.results);
    if (results.length === 0) return { kind: 'empty' };
    const searchUnits = Math.ceil(asked.documents.length / documentsPerUnit);
    return { results, usage: { ...emptyUsage('estimated'), prompt: scope.promptTokens ?? 0, units: { searchUnits } } };
  },
};
