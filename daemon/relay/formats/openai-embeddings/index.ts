/** OpenAI's embeddings in both directions. */
import { type CallAnswer, type ClientCallFormat, jsonAnswer, type UpstreamCallFormat } from '../../call-format.ts';
import type { EmbeddingInput, EmbeddingsAnswer, EmbeddingsRequest } from '../../canonical/embeddings.ts';
import type { Scope } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asIndex, asNumber, asObjects, asWord, inexpressible, invalid, present, remainder } from '../fields.ts';
import { readInputParts } from './parts.ts';
import { findEmbeddingsUsage } from './usage.ts';
import { asNumbers, packFloats, readVector } from './vectors.ts';

const known = new Set(['model', 'input', 'dimensions', 'encoding_format', 'input_type', 'task']);
/** What is written anew for an upstream of the same dialect. */
const rewritten = new Set(['model', 'input', 'dimensions', 'encoding_format']);

function readInputs(input: Json | undefined): EmbeddingInput[] {
  if (typeof input === 'string') return [{ kind: 'text', text: input }];
  if (!Array.isArray(input)) throw invalid('input', 'must be a string or an array');
  const flat = asNumbers(input);
  if (flat !== undefined) return [{ kind: 'tokens', tokens: flat }];
  const parts = readInputParts(input);
  if (parts !== undefined) return [{ kind: 'parts', parts }];
  return input.map((entry, index): EmbeddingInput => {
    if (typeof entry === 'string') return { kind: 'text', text: entry };
    const tokens = Array.isArray(entry) ? asNumbers(entry) : undefined;
    if (tokens === undefined) throw invalid(`input.${index}`, 'must be a string or a list of token ids');
    return { kind: 'tokens', tokens };
  });
}

/** Vectors of another length than was asked for would be of no use, and still be billed. */
function readDimensions(value: Json | undefined): number | undefined {
  if (value === undefined || value === null) return undefined;
  const dimensions = asIndex(value);
  if (dimensions === undefined || dimensions === 0) throw invalid('dimensions', 'must be a positive whole number');
  return dimensions;
}

export const openaiEmbeddings: ClientCallFormat<EmbeddingsRequest, EmbeddingsAnswer> &
  UpstreamCallFormat<EmbeddingsRequest, EmbeddingsAnswer> = {
  id: 'openai-embeddings',

  decodeRequest(body) {
    return present({
      model: asWord(body.model) ?? '',
      inputs: readInputs(body.input),
      form: 'list' as const,
      dimensions: readDimensions(body.dimensions),
      encoding: body.encoding_format === 'base64' ? ('base64' as const) : ('float' as const),
      task: asWord(body.input_type) ?? asWord(body.task),
      unsaid: Object.keys(remainder(body, known)),
      own: remainder(body, rewritten),
    });
  },

  encodeAnswer(answer, asked, scope): CallAnswer {
    const data = answer.vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: asked.encoding === 'base64' ? packFloats(vector) : [...vector],
    }));
    const prompt = answer.usage?.prompt ?? scope.promptTokens ?? 0;
    const usage = { prompt_tokens: prompt, total_tokens: prompt };
    return jsonAnswer({ object: 'list', data, model: scope.model, usage }, { usage: answer.usage });
  },

  encodeRequest(asked, scope) {
    if (asked.own === undefined) {
      loseUnsaid(asked, scope);
      losePurpose(asked, scope);
    }
    const input = asked.inputs.map(({ kind, ...rest }): Json => {
      if ('text' in rest) return rest.text;
      if ('tokens' in rest) return [...rest.tokens];
      throw inexpressible('content.parts', `${kind} other than text cannot be sent to this channel`);
    });
    return { body: { ...asked.own, model: asked.model, input, ...present({ dimensions: asked.dimensions }) } };
  },

  decodeAnswer(body) {
    const entries = asObjects(body.data).toSorted((one, other) => indexOf(one) - indexOf(other));
    const vectors = entries.map(({ embedding }) => readVector(embedding));
    return vectors.length === 0 ? { kind: 'empty' } : { vectors, usage: findEmbeddingsUsage(body) };
  },
};

/** Notes the members that only the client's own dialect has words for. */
export function loseUnsaid(asked: { readonly unsaid: readonly string[] }, scope: Scope): void {
  for (const field of asked.unsaid) scope.lose(field);
}

/** Notes what the vectors are for, and of what, where a vendor has no word for either. */
export function losePurpose(asked: EmbeddingsRequest, scope: Scope): void {
  if (asked.task !== undefined) scope.lose(asked.own === undefined ? 'taskType' : 'input_type');
  loseTitles(asked, scope);
}

export function loseTitles({ inputs }: EmbeddingsRequest, scope: Scope): void {
  if (inputs.some(({ title }) => title !== undefined)) scope.lose('title');
}

function indexOf(entry: JsonObject): number {
  return asNumber(entry.index) ?? 0;
}
