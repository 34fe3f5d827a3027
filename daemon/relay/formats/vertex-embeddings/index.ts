/** Vertex AI's text embeddings by `:predict`. Source: providers/vertex.md, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { EmbeddingsAnswer, EmbeddingsRequest } from '../../canonical/embeddings.ts';
import { emptyUsage, tokenCount } from '../../canonical/usage.ts';
import { asObject, asObjects, present } from '../fields.ts';
import { googleTask } from '../gemini-embeddings/index.ts';
import { loseUnsaid } from '../openai-embeddings/index.ts';
import { readVector } from '../openai-embeddings/vectors.ts';
import { textsOf } from '../text-inputs.ts';

export const vertexEmbeddings: UpstreamCallFormat<EmbeddingsRequest, EmbeddingsAnswer> = {
  id: 'vertex-embeddings',

  encodeRequest(asked, scope) {
    loseUnsaid(asked, scope);
    const task = googleTask(asked, scope);
    const instances = textsOf(asked).map((content, index) => ({
      content,
      ...present({ task_type: task, title: asked.inputs[index]?.title }),
    }));
    const parameters = { autoTruncate: true, ...present({ outputDimensionality: asked.dimensions }) };
    return { body: { instances, parameters } };
  },

  decodeAnswer(body) {
    const found = asObjects(body.predictions).map((prediction) => asObject(prediction.embeddings));
    const vectors = found.map((entry) => readVector(entry?.values));
    if (vectors.length === 0) return { kind: 'empty' };
    const prompt = found.reduce((sum, entry) => sum + tokenCount(asObject(entry?.statistics)?.token_count), 0);
    return { vectors, usage: prompt === 0 ? undefined : { ...emptyUsage(), prompt } };
  },
};
