/** Ollama's own `/api/embed`. Source: providers/ollama.md, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { EmbeddingsAnswer, EmbeddingsRequest } from '../../canonical/embeddings.ts';
import { emptyUsage, tokenCount } from '../../canonical/usage.ts';
import type { JsonObject } from '../../json.ts';
import { asList, present } from '../fields.ts';
import { losePurpose, loseUnsaid } from '../openai-embeddings/index.ts';
import { readVector } from '../openai-embeddings/vectors.ts';
import { textsOf } from '../text-inputs.ts';

/** What clients that know Ollama say beside the texts. */
const passed: ReadonlySet<string> = new Set(['truncate', 'keep_alive', 'options']);

export const ollamaEmbeddings: UpstreamCallFormat<EmbeddingsRequest, EmbeddingsAnswer> = {
  id: 'ollama-embeddings',

  encodeRequest(asked, scope) {
    loseUnsaid({ unsaid: asked.unsaid.filter((name) => !passed.has(name)) }, scope);
    losePurpose(asked, scope);
    const texts = textsOf(asked);
    const [only, another] = texts;
    const input = only !== undefined && another === undefined ? only : texts;
    const own: JsonObject = Object.fromEntries(Object.entries(asked.own ?? {}).filter(([name]) => passed.has(name)));
    return { body: { ...own, model: asked.model, input, ...present({ dimensions: asked.dimensions }) } };
  },

  decodeAnswer(body) {
    const vectors = asList(body.embeddings).map(readVector);
    if (vectors.length === 0) return { kind: 'empty' };
    const prompt = tokenCount(body.prompt_eval_count);
    return { vectors, usage: prompt === 0 ? undefined : { ...emptyUsage(), prompt } };
  },
};
