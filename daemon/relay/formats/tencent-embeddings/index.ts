/**
 * Hunyuan's native embeddings: one model without a name. The public service stopped on 2026-09-30, as the sheet says;
 * private ones go on. Source: providers/tencent.md, read 2026-11.
 */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { EmbeddingsAnswer, EmbeddingsRequest } from '../../canonical/embeddings.ts';
import { emptyUsage, tokenCount } from '../../canonical/usage.ts';
import type { JsonObject } from '../../json.ts';
import { asNumber, asObject, asObjects } from '../fields.ts';
import { losePurpose, loseUnsaid } from '../openai-embeddings/index.ts';
import { readVector } from '../openai-embeddings/vectors.ts';
import { textsOf } from '../text-inputs.ts';

export const tencentEmbeddings: UpstreamCallFormat<EmbeddingsRequest, EmbeddingsAnswer> = {
  id: 'tencent-embeddings',

  encodeRequest(asked, scope) {
    loseUnsaid(asked, scope);
    if (asked.dimensions !== undefined) scope.lose('dimensions');
    losePurpose(asked, scope);
    const texts = textsOf(asked);
    const [only, another] = texts;
    return { body: only !== undefined && another === undefined ? { Input: only } : { InputList: texts } };
  },

  decodeAnswer(body) {
    const response = asObject(body.Response);
    // Refusals come as successes.
    if (response?.Error !== undefined) return { kind: 'error', body };
    const vectors = asObjects(response?.Data)
      .toSorted((one, other) => placeOf(one) - placeOf(other))
      .map(({ Embedding: vector }) => readVector(vector));
    if (vectors.length === 0) return { kind: 'empty' };
    const told = asObject(response?.Usage);
    // Some of its services tell the sum alone; nothing but the prompt is in it.
    const prompt = tokenCount(told?.PromptTokens) || tokenCount(told?.TotalTokens);
    return { vectors, usage: prompt === 0 ? undefined : { ...emptyUsage(), prompt } };
  },
};

function placeOf(entry: JsonObject): number {
  return asNumber(entry.Index) ?? 0;
}
