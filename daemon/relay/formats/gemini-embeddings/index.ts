/** Gemini's `embedContent` and `batchEmbedContents` in both directions (relay.md 7.1, 13.6). */
import { type CallAnswer, type ClientCallFormat, jsonAnswer, type UpstreamCallFormat } from '../../call-format.ts';
import type { EmbeddingInput, EmbeddingsAnswer, EmbeddingsRequest } from '../../canonical/embeddings.ts';
import { emptyUsage, tokenCount, type Usage } from '../../canonical/usage.ts';
import type { JsonObject } from '../../json.ts';
import { asNumber, asObject, asObjects, asWord, inexpressible, invalid, present, remainder } from '../fields.ts';
import { loseUnsaid } from '../openai-embeddings/index.ts';
import { readVector } from '../openai-embeddings/vectors.ts';

const known = new Set([
  'model',
  'content',
  'taskType',
  'task_type',
  'title',
  'outputDimensionality',
  'output_dimensionality',
  'requests',
]);

/** Source: providers/gemini.md, read 2026-11. */
const tasks = new Set([
  'RETRIEVAL_QUERY',
  'RETRIEVAL_DOCUMENT',
  'SEMANTIC_SIMILARITY',
  'CLASSIFICATION',
  'CLUSTERING',
  'QUESTION_ANSWERING',
  'FACT_VERIFICATION',
  'CODE_RETRIEVAL_QUERY',
]);
/** What other vendors call the same. */
const foreignTasks: Readonly<Record<string, string>> = {
  search_query: 'RETRIEVAL_QUERY',
  search_document: 'RETRIEVAL_DOCUMENT',
  query: 'RETRIEVAL_QUERY',
  passage: 'RETRIEVAL_DOCUMENT',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
};

function readInput(entry: JsonObject, field: string): EmbeddingInput {
  const content = asObject(entry.content);
  const parts = asObjects(content?.parts);
  if (parts.length === 0) throw invalid(`${field}.parts`, 'must be a non-empty array');
  const texts = parts.map((part) => part.text);
  if (texts.every((text) => typeof text === 'string')) return { kind: 'text', text: texts.join('\n') };
  return { kind: 'parts', parts };
}

/** Vectors of one call cost by their prompt alone. Undefined when the answer names none. */
export function findGeminiEmbeddingsUsage(body: JsonObject): Usage | undefined {
  const wire = asObject(body.usageMetadata);
  const prompt = tokenCount(wire?.promptTokenCount ?? wire?.totalTokenCount);
  if (prompt === 0) return undefined;
  const details = asObjects(wire?.promptTokensDetails ?? wire?.promptTokenDetails);
  const image = tokenCount(details.find((entry) => entry.modality === 'IMAGE')?.tokenCount);
  return { ...emptyUsage(), prompt, promptImage: image };
}

export const geminiEmbeddings: ClientCallFormat<EmbeddingsRequest, EmbeddingsAnswer> &
  UpstreamCallFormat<EmbeddingsRequest, EmbeddingsAnswer> = {
  id: 'gemini-embeddings',

  decodeRequest(body) {
    const list = Array.isArray(body.requests) ? asObjects(body.requests) : undefined;
    const entries = list ?? [body];
    // One call has one set of wishes here; entries that differ in them are rare and need a Gemini channel.
    const [first] = entries;
    if (first === undefined) throw invalid('requests', 'must be a non-empty array');
    return present({
      model: asWord(body.model) ?? '',
      inputs: entries.map((entry, index) => readInput(entry, list ? `requests.${index}.content` : 'content')),
      form: list === undefined ? ('one' as const) : ('list' as const),
      dimensions: asNumber(first.outputDimensionality) ?? asNumber(first.output_dimensionality),
      encoding: 'float' as const,
      task: asWord(first.taskType) ?? asWord(first.task_type),
      title: asWord(first.title),
      unsaid: Object.keys(remainder(body, known)),
    });
  },

  encodeAnswer({ vectors, usage }, asked): CallAnswer {
    const embeddings = vectors.map((values) => ({ values: [...values] }));
    const usageMetadata = usage === undefined ? {} : { usageMetadata: { promptTokenCount: usage.prompt } };
    const [first] = embeddings;
    if (asked.form === 'list' || first === undefined) return jsonAnswer({ embeddings, ...usageMetadata }, { usage });
    return jsonAnswer({ embedding: first, ...usageMetadata }, { usage });
  },

  encodeRequest(asked, scope) {
    loseUnsaid(asked, scope);
    const task = asked.task === undefined ? undefined : (foreignTasks[asked.task] ?? asked.task);
    if (task !== undefined && !tasks.has(task)) scope.lose('input_type');
    const wishes = present({
      taskType: task !== undefined && tasks.has(task) ? task : undefined,
      title: asked.title,
      outputDimensionality: asked.dimensions,
    });
    const contents = asked.inputs.map((input) => {
      if (input.kind === 'tokens') throw inexpressible('input', 'lists of token ids cannot be sent to this channel');
      return { parts: input.kind === 'text' ? [{ text: input.text }] : [...input.parts] };
    });
    const [only, another] = contents;
    if (only !== undefined && another === undefined) {
      return { body: { content: only, ...wishes }, operation: 'embedContent' };
    }
    const model = `models/${asked.model}`;
    const requests = contents.map((content) => ({ model, content, ...wishes }));
    return { body: { requests }, operation: 'batchEmbedContents' };
  },

  decodeAnswer(body) {
    const found = [...asObjects(body.embeddings), ...(asObject(body.embedding) === undefined ? [] : [body.embedding])];
    const vectors = found.map((entry) => readVector(asObject(entry)?.values));
    if (vectors.length === 0) return { kind: 'empty' };
    return { vectors, usage: findGeminiEmbeddingsUsage(body) };
  },
};
