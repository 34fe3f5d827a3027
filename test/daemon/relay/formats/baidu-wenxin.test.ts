/** What Wenxin hears of a chat that not all of its models, or no other vendors, have a word for. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { chatFormatOf, upstreamFormatOf } from '../../../../daemon/relay/formats/index.ts';
import { isObject, type JsonObject } from '../../../../daemon/relay/json.ts';
import { testScope } from '../../../conformance/scope.ts';
import { adapterOf, callOf } from '../../../support/adapter-calls.ts';
import { assertQuick } from '../../../support/processor-time.ts';

const test = suite('Wenxin');

function encoded(body: JsonObject): { wire: JsonObject; lost: readonly string[] } {
  const scope = testScope();
  const messages = [{ role: 'user', content: 'u' }];
  const request = chatFormatOf('openai-chat')?.decodeRequest({ model: 'ERNIE-4.0-8K', messages, ...body });
  assert.ok(request);
  const wire = upstreamFormatOf('baidu-wenxin')?.encodeRequest(request, scope);
  assert.ok(isObject(wire));
  return { wire, lost: scope.lost };
}

test('is asked where each of its models answers, and any other under its own name', () => {
  const wenxin = adapterOf('baidu');
  const last = (capability: 'chat' | 'embeddings' | 'rerank', model: string) =>
    wenxin.path(callOf(wenxin, { capability, model })).replace('/rpc/2.0/ai_custom/v1/wenxinworkshop/', '');
  assert.is(last('chat', 'ERNIE-4.0-8K'), 'chat/completions_pro');
  assert.is(last('chat', 'My-Own'), 'chat/my-own');
  assert.is(last('embeddings', 'Embedding-V1'), 'embeddings/embedding-v1');
  assert.is(last('embeddings', 'bge-large-zh'), 'embeddings/bge_large_zh');
  assert.is(last('embeddings', 'tao-8k'), 'embeddings/tao_8k');
  assert.is(last('rerank', 'bce-reranker-base'), 'reranker/bce_reranker_base');
});

test('embeds a list of texts, in the one form that it has', () => {
  const wenxin = adapterOf('baidu');
  const call = callOf(wenxin, { capability: 'embeddings', format: 'openai-embeddings', model: 'tao-8k' });
  const asked = { model: 'tao-8k', input: 'a', encoding_format: 'base64', user: 'u' };
  assert.equal(wenxin.amendBody?.(asked, call), { input: ['a'], user_id: 'u' });
});

test('hears its own wishes, if a client has them', () => {
  const wishes = { disable_search: true, enable_citation: false, enable_system_memory: true, system_memory_id: 'm-1' };
  const { wire, lost } = encoded({ ...wishes, enable_trace: null });
  assert.equal(wire, { messages: [{ role: 'user', content: 'u' }], ...wishes });
  assert.equal(lost, []);
});

test('hears of no limit beyond the longest answer of its model, which it would refuse', () => {
  const limit = (model: string, max_tokens: number) => encoded({ model, max_tokens }).wire.max_output_tokens;
  assert.equal([limit('ERNIE-4.0-8K', 8192), limit('ERNIE-4.0-8K', 100)], [2048, 100]);
  assert.equal([limit('ERNIE-3.5-128K', 8192), limit('My-Own', 8192)], [4096, 8192]);
});

test('hears which function to call where its model can be told', () => {
  const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
  const choice = { type: 'function', function: { name: 'look' } };
  const told = encoded({ model: 'ERNIE-Function-8K', tools, tool_choice: choice });
  assert.equal([told.wire.tool_choice, told.lost], [choice, []]);
  const untold = encoded({ tools, tool_choice: choice });
  assert.equal([untold.wire.tool_choice, untold.lost], [undefined, ['tool_choice']]);
});

test('finds the results of many calls, in many turns or in one, without looking through all that follows for each', async () => {
  const count = 12_000;
  const ids = Array.from({ length: count }, (_, place) => `call_${place}`);
  const callOfId = (id: string) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } });
  const resultOf = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'r' });
  const turns = ids.flatMap((id) => [{ role: 'assistant', tool_calls: [callOfId(id)] }, resultOf(id)]);
  const atOnce = [{ role: 'assistant', tool_calls: ids.map(callOfId) }, ...ids.map(resultOf).reverse()];
  for (const calls of [turns, atOnce]) {
    // The first took 5500.
    await assertQuick(1200, () => {
      const { wire, lost } = encoded({ messages: [{ role: 'user', content: 'u' }, ...calls] });
      assert.equal([Array.isArray(wire.messages) && wire.messages.length, lost], [1 + 2 * count, []]);
    });
  }
});

test.run();
