/** Ark's embeddings of words and media, one vector a request. Source: providers/volcengine.md, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { EmbeddingInput, EmbeddingsAnswer, EmbeddingsRequest } from '../../canonical/embeddings.ts';
import { tokenCount } from '../../canonical/usage.ts';
import type { JsonObject } from '../../json.ts';
import { asList, asObject, asText, asWord, inexpressible, present } from '../fields.ts';
import { camelKeys } from '../gemini-generate/wire.ts';
import { lose } from '../loss.ts';
import { loseUnsaid } from '../openai-embeddings/index.ts';
import { findEmbeddingsUsage } from '../openai-embeddings/usage.ts';
import { readVector } from '../openai-embeddings/vectors.ts';

export const volcengineEmbeddings: UpstreamCallFormat<EmbeddingsRequest, EmbeddingsAnswer> = {
  id: 'volcengine-embeddings',

  encodeRequest(asked, scope) {
    const { user, input_type: _, task: __, ...own } = asked.own ?? {};
    if (asked.own === undefined) loseUnsaid(asked, scope);
    lose(scope, { user, input_type: asked.task, title: asked.title });
    const input = asked.inputs.flatMap(partsOf);
    const { model, dimensions } = asked;
    return { body: { ...own, model, input, encoding_format: 'float', ...present({ dimensions }) } };
  },

  /** The answer's `data` is the one vector itself. */
  decodeAnswer(body) {
    const [first] = asList(Array.isArray(body.data) ? body.data : [body.data ?? null]);
    const vector = readVector(asObject(first)?.embedding);
    if (vector.length === 0) return body.error === undefined ? { kind: 'empty' } : { kind: 'error', body };
    const usage = findEmbeddingsUsage(body);
    const details = asObject(asObject(body.usage)?.prompt_tokens_details);
    const promptImage = tokenCount(details?.image_tokens);
    return { vectors: [vector], usage: usage && { ...usage, promptImage } };
  },
};

function partsOf(input: EmbeddingInput): JsonObject[] {
  if (input.kind === 'text') return [{ type: 'text', text: input.text }];
  if (input.kind === 'parts') return input.parts.map(partOf);
  throw inexpressible('input', 'lists of token ids cannot be sent to this channel');
}

/** One of Gemini's parts in Ark's words. */
function partOf(part: JsonObject): JsonObject {
  const { text, inlineData, fileData } = camelKeys(part);
  if (typeof text === 'string') return { type: 'text', text };
  const inline = camelKeys(inlineData);
  const file = camelKeys(fileData);
  const type = asWord(inline.mimeType) ?? asWord(file.mimeType) ?? '';
  const url = asWord(file.fileUri) ?? `data:${type};base64,${asText(inline.data) ?? ''}`;
  if (type.startsWith('image/')) return { type: 'image_url', image_url: { url } };
  if (type.startsWith('video/')) return { type: 'video_url', video_url: { url } };
  throw inexpressible('content.parts', 'parts other than text, images and videos cannot be sent to this channel');
}
