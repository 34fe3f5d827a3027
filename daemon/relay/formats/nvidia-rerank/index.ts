/** NVIDIA's rerankers. Source: providers/nvidia-nim.md, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { RankedDocument, RerankAnswer, RerankRequest } from '../../canonical/rerank.ts';
import { asNumber, asObjects } from '../fields.ts';
import { loseUnsaid } from '../openai-embeddings/index.ts';
import { documentText, readRerankUsage } from '../rerank/index.ts';

/** A logit as a share of one, which is what clients compare. */
function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

export const nvidiaRerank: UpstreamCallFormat<RerankRequest, RerankAnswer> = {
  id: 'nvidia-rerank',

  encodeRequest(asked, scope) {
    loseUnsaid(asked, scope);
    const passages = asked.documents.map((document) => ({ text: documentText(document) }));
    return { body: { model: asked.model, query: { text: asked.query }, passages, truncate: 'END' } };
  },

  decodeAnswer(body, _, scope) {
    const results = asObjects(body.rankings).flatMap(({ index, logit }): RankedDocument[] => {
      const place = asNumber(index);
      const value = asNumber(logit);
      return place === undefined || value === undefined ? [] : [{ index: place, score: sigmoid(value) }];
    });
    return results.length === 0 ? { kind: 'empty' } : { results, usage: readRerankUsage(body, scope) };
  },
};
