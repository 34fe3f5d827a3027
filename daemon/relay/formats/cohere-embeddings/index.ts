/** Cohere's `/v2/embed`. Source: providers/cohere.md, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { EmbeddingInput, EmbeddingsAnswer, EmbeddingsRequest } from '../../canonical/embeddings.ts';
import { emptyUsage, tokenCount } from '../../canonical/usage.ts';
import type { JsonObject } from '../../json.ts';
import type { UnusableAnswer } from '../../native-answer.ts';
import { asList, asObject, asText, inexpressible, parseJson, present } from '../fields.ts';
import { loseTitles, loseUnsaid } from '../openai-embeddings/index.ts';
import { chatPartOf } from '../openai-embeddings/parts.ts';
import { readVector } from '../openai-embeddings/vectors.ts';
import { textsOf } from '../text-inputs.ts';

/** Older models look at one image and nothing else, by a call of its own. */
const seesImages = /embed-v[4-9]/;
const tasks = new Set(['search_document', 'search_query', 'classification', 'clustering']);
/** What other vendors call the same. */
const foreignTasks: Readonly<Record<string, string>> = {
  RETRIEVAL_QUERY: 'search_query',
  RETRIEVAL_DOCUMENT: 'search_document',
  CLASSIFICATION: 'classification',
  CLUSTERING: 'clustering',
  query: 'search_query',
  passage: 'search_document',
};

export const cohereEmbeddings: UpstreamCallFormat<EmbeddingsRequest, EmbeddingsAnswer> = {
  id: 'cohere-embeddings',

  encodeRequest(asked, scope) {
    loseUnsaid(asked, scope);
    loseTitles(asked, scope);
    const task = asked.task === undefined ? undefined : (foreignTasks[asked.task] ?? asked.task);
    if (task !== undefined && !tasks.has(task)) scope.lose('input_type');
    return {
      body: {
        model: asked.model,
        ...inputsOf(asked),
        // The vendor demands a purpose; documents are what most callers embed.
        input_type: task !== undefined && tasks.has(task) ? task : 'search_document',
        embedding_types: ['float'],
        truncate: 'END',
        ...present({ output_dimension: asked.dimensions }),
      },
    };
  },

  decodeAnswer: readVectors,

  decodeReply({ body, headers }) {
    const members = asObject(parseJson(body.toString('utf8')));
    const said = members && readVectors(members);
    if (said === undefined || 'kind' in said || said.usage !== undefined) return said;
    // Hosts that lend the model tell in a header.
    const prompt = tokenCount(Number(headers['x-amzn-bedrock-input-token-count']));
    return prompt === 0 ? said : { ...said, usage: { ...emptyUsage(), prompt } };
  },
};

/** Texts, or where pictures are among them, what each vector is to be made of. */
function inputsOf(asked: EmbeddingsRequest): JsonObject {
  if (!seesImages.test(asked.model) || asked.inputs.every(({ kind }) => kind !== 'parts')) {
    return { texts: textsOf(asked) };
  }
  return { inputs: asked.inputs.map((input) => ({ content: contentOf(input) })) };
}

function contentOf(input: EmbeddingInput): JsonObject[] {
  if (input.kind === 'text') return [{ type: 'text', text: input.text }];
  if (input.kind === 'tokens') throw inexpressible('input', 'lists of token ids cannot be sent to this channel');
  const content = input.parts.map(chatPartOf);
  for (const { type, image_url: image } of content) {
    const isShown = asText(asObject(image)?.url)?.startsWith('data:') === true;
    if (type !== 'text' && !isShown)
      throw inexpressible('input', 'only images by their bytes can be sent to this channel');
  }
  return content;
}

function readVectors(body: JsonObject): EmbeddingsAnswer | UnusableAnswer {
  const own = asObject(body.embeddings);
  const vectors = asList(own === undefined ? body.embeddings : own.float).map(readVector);
  if (vectors.length === 0) return { kind: 'empty' };
  const billed = asObject(asObject(body.meta)?.billed_units);
  const prompt = tokenCount(billed?.input_tokens) + tokenCount(billed?.image_tokens);
  return { vectors, usage: prompt === 0 ? undefined : { ...emptyUsage(), prompt } };
}
