/** Gemini's `embedContent` and `batchEmbedContents` in both directions (relay.md 7.1, 13.6). */
import { type CallAnswer, type ClientCallFormat, jsonAnswer, type UpstreamCallFormat } from '../../call-format.ts';
import type { EmbeddingInput, EmbeddingsAnswer, EmbeddingsRequest } from '../../canonical/embeddings.ts';
import { emptyUsage, tokenCount, type Usage } from '../../canonical/usage.ts';
import type { Scope } from '../../format.ts';
import type { JsonObject } from '../../json.ts';
import { asNumber, asObject, asObjects, asWord, inexpressible, invalid, present, remainder } from '../fields.ts';
import { partsIn } from '../gemini-generate/wire.ts';
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
  const parts = partsIn(entry.content);
  if (parts.length === 0) throw invalid(`${field}.parts`, 'must be a non-empty array');
  const texts = parts.map((part) => part.text);
  const named = present({ title: asWord(entry.title) });
  if (texts.every((text) => typeof text === 'string')) return { kind: 'text', text: texts.join('\n'), ...named };
  return { kind: 'parts', parts, ...named };
}

/** What Google calls the task; undefined, and noted, for one that it has no word for. */
export function googleTask({ task, own }: EmbeddingsRequest, scope: Scope): string | undefined {
  if (task === undefined) return undefined;
  const word = foreignTasks[task] ?? task;
  if (tasks.has(word)) return word;
  scope.lose(own === undefined ? 'taskType' : 'input_type');
  return undefined;
}

function wishesOf(entry: JsonObject): { dimensions: number | undefined; task: string | undefined } {
  return {
    dimensions: asNumber(entry.outputDimensionality) ?? asNumber(entry.output_dimensionality),
    task: asWord(entry.taskType) ?? asWord(entry.task_type),
  };
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
    const [first, ...others] = entries;
    if (first === undefined) throw invalid('requests', 'must be a non-empty array');
    const { dimensions, task } = wishesOf(first);
    for (const other of others.map(wishesOf)) {
      if (other.dimensions === dimensions && other.task === task) continue;
      throw inexpressible('requests', 'that differ in their wishes cannot be sent to this channel');
    }
    return present({
      model: asWord(body.model) ?? '',
      inputs: entries.map((entry, index) => readInput(entry, list ? `requests.${index}.content` : 'content')),
      form: list === undefined ? ('one' as const) : ('list' as const),
      dimensions,
      encoding: 'float' as const,
      task,
      unsaid: [body, ...(list ?? [])].flatMap((entry) => Object.keys(remainder(entry, known))),
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
    const taskType = googleTask(asked, scope);
    const entries = asked.inputs.map((input) => {
      if (input.kind === 'tokens') throw inexpressible('input', 'lists of token ids cannot be sent to this channel');
      const parts = input.kind === 'text' ? [{ text: input.text }] : [...input.parts];
      const wishes = present({ taskType, title: input.title, outputDimensionality: asked.dimensions });
      return { content: { parts }, ...wishes };
    });
    const [only, another] = entries;
    if (only !== undefined && another === undefined) return { body: only, operation: 'embedContent' };
    const model = `models/${asked.model}`;
    return { body: { requests: entries.map((entry) => ({ model, ...entry })) }, operation: 'batchEmbedContents' };
  },

  decodeAnswer(body) {
    const found = [...asObjects(body.embeddings), ...(asObject(body.embedding) === undefined ? [] : [body.embedding])];
    const vectors = found.map((entry) => readVector(asObject(entry)?.values));
    if (vectors.length === 0) return { kind: 'empty' };
    return { vectors, usage: findGeminiEmbeddingsUsage(body) };
  },
};
