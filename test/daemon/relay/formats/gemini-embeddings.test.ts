/** Wishes of Gemini's embeddings, and what becomes of them at vendors with other words (relay.md 13.1, 13.6). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { UpstreamCallFormat } from '../../../../daemon/relay/call-format.ts';
import type { EmbeddingsAnswer, EmbeddingsRequest } from '../../../../daemon/relay/canonical/embeddings.ts';
import { cohereEmbeddings } from '../../../../daemon/relay/formats/cohere-embeddings/index.ts';
import { geminiEmbeddings } from '../../../../daemon/relay/formats/gemini-embeddings/index.ts';
import { ollamaEmbeddings } from '../../../../daemon/relay/formats/ollama-embeddings/index.ts';
import { openaiEmbeddings } from '../../../../daemon/relay/formats/openai-embeddings/index.ts';
import { vertexEmbeddings } from '../../../../daemon/relay/formats/vertex-embeddings/index.ts';
import type { Json, JsonObject } from '../../../../daemon/relay/json.ts';
import { testScope } from '../../../conformance/scope.ts';
import { isRefusal } from '../../../support/refusal-code.ts';

const test = suite('gemini embeddings');

/** What a vendor is asked, and what it has no words for. */
function told(
  format: UpstreamCallFormat<EmbeddingsRequest, EmbeddingsAnswer>,
  asked: EmbeddingsRequest,
): { body: Json; lost: readonly string[] } {
  const scope = testScope();
  assert.ok('encodeRequest' in format);
  const { body } = format.encodeRequest(asked, scope);
  return { body, lost: scope.lost };
}

const entry = (text: string, wishes: JsonObject = {}): JsonObject => ({ content: { parts: [{ text }] }, ...wishes });
const titled = {
  model: 'm',
  requests: [
    entry('a', { title: 'One', taskType: 'RETRIEVAL_DOCUMENT' }),
    entry('b', { title: 'Two', task_type: 'RETRIEVAL_DOCUMENT' }),
  ],
};

test('every text keeps its own title where the vendor has a place for it', () => {
  const asked = geminiEmbeddings.decodeRequest(titled);
  const instances = [
    { content: 'a', task_type: 'RETRIEVAL_DOCUMENT', title: 'One' },
    { content: 'b', task_type: 'RETRIEVAL_DOCUMENT', title: 'Two' },
  ];
  assert.equal(told(vertexEmbeddings, asked), { body: { instances, parameters: { autoTruncate: true } }, lost: [] });
  const requests = instances.map(({ content, task_type: taskType, title }) => ({
    model: 'models/m',
    ...entry(content, { taskType, title }),
  }));
  assert.equal(told(geminiEmbeddings, asked), { body: { requests }, lost: [] });
});

test('a part that stands alone is read like one in a list', () => {
  const asked = geminiEmbeddings.decodeRequest({ model: 'm', content: { parts: { text: 'a' } } });
  assert.equal(told(ollamaEmbeddings, asked).body, { model: 'm', input: 'a' });
});

test('titles and purposes are noted where the vendor has none', () => {
  const asked = geminiEmbeddings.decodeRequest(titled);
  for (const [format, lost] of [
    [openaiEmbeddings, ['taskType', 'title']],
    [ollamaEmbeddings, ['taskType', 'title']],
    [cohereEmbeddings, ['title']],
  ] as const) {
    assert.equal(told(format, asked).lost, lost, format.id);
  }
});

test('entries that differ in what they ask for are refused, because one call has one set of wishes', () => {
  for (const wishes of [{ taskType: 'CLUSTERING' }, { outputDimensionality: 256 }, { output_dimensionality: 256 }]) {
    const requests = [entry('a'), entry('b', wishes)];
    assert.throws(() => geminiEmbeddings.decodeRequest({ model: 'm', requests }), isRefusal('convert_request_failed'));
  }
});

test('members of an entry that no other vendor knows are noted', () => {
  const asked = geminiEmbeddings.decodeRequest({ requests: [entry('a'), entry('b', { autoTruncate: true })] });
  assert.equal(told(ollamaEmbeddings, asked).lost, ['autoTruncate']);
});

test('what other vendors call a purpose is told to Vertex in Google’s word, or noted', () => {
  for (const [input_type, word, lost] of [
    ['search_query', 'RETRIEVAL_QUERY', []],
    ['RETRIEVAL_QUERY', 'RETRIEVAL_QUERY', []],
    ['image', undefined, ['input_type']],
  ] as const) {
    const asked = openaiEmbeddings.decodeRequest({ model: 'm', input: 'a', input_type });
    const instances = [word === undefined ? { content: 'a' } : { content: 'a', task_type: word }];
    assert.equal(told(vertexEmbeddings, asked), { body: { instances, parameters: { autoTruncate: true } }, lost });
  }
});

test('what clients of Ollama say beside the texts goes on, and nothing else does', () => {
  const wishes = { truncate: false, keep_alive: '1h', options: { num_ctx: 8192 } };
  const asked = openaiEmbeddings.decodeRequest({ model: 'm', input: 'a', ...wishes, late_chunking: true });
  assert.equal(told(ollamaEmbeddings, asked), { body: { ...wishes, model: 'm', input: 'a' }, lost: ['late_chunking'] });
});

test.run();
