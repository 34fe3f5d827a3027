/** What MiniMax is sent of a chat request, and what the client is told of the rest. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { noteVendorLosses } from '../../../../../daemon/gateway/vendor-loss.ts';
import { asObject } from '../../../../../daemon/relay/formats/fields.ts';
import type { JsonObject } from '../../../../../daemon/relay/json.ts';
import { testScope } from '../../../../conformance/scope.ts';
import { adapterOf, callOf } from '../../../../support/adapter-calls.ts';

const test = suite('MiniMax');

const messages = [{ role: 'user', content: 'hi' }];

function fitted(members: JsonObject, model = 'MiniMax-M2.7'): { sent: JsonObject; lost: readonly string[] } {
  const adapter = adapterOf('minimax');
  const before: JsonObject = { model, messages, ...members };
  const sent = asObject(adapter.amendBody?.({ ...before }, callOf(adapter, { model, format: 'openai-chat' })));
  assert.ok(sent);
  const scope = testScope();
  noteVendorLosses('openai-chat', { before, after: sent }, scope);
  return { sent, lost: scope.lost };
}

test('it is sent the members that its sheet knows, and its own, and the others of OpenAI’s chat are named', () => {
  const known = { stream: true, stream_options: { include_usage: true }, mask_sensitive_info: true, thinking: {} };
  assert.equal(fitted(known).sent, { model: 'MiniMax-M2.7', messages, ...known, reasoning_split: true });
  const others = {
    top_k: 4,
    parallel_tool_calls: false,
    functions: [{ name: 'f' }],
    modalities: ['text', 'audio'],
    audio: { voice: 'alloy', format: 'mp3' },
    prediction: { type: 'content', content: 'x' },
    verbosity: 'low',
    web_search_options: { search_context_size: 'low' },
    metadata: { team: 'a' },
    prompt_cache_key: 'k',
    prompt_cache_retention: '24h',
  };
  const { sent, lost } = fitted({ ...others, store: true, service_tier: 'flex', safety_identifier: 's' });
  assert.equal(sent, { model: 'MiniMax-M2.7', messages, reasoning_split: true });
  assert.equal(lost, Object.keys(others));
  assert.equal(fitted({ parallel_tool_calls: true, verbosity: 'medium' }).lost, []);
});

test('JSON is asked for in words, but of the one model that is held to a schema', () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } } };
  const byForm = { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } };
  const kept = fitted(byForm, 'MiniMax-Text-01');
  assert.equal([kept.sent.response_format, kept.sent.messages, kept.lost], [byForm.response_format, messages, []]);
  const asked = fitted(byForm);
  assert.equal([asked.sent.response_format, asked.lost], [undefined, []]);
  assert.match(JSON.stringify(asked.sent.messages), /"role":"system","content":"Answer with JSON only.*city/);
  const loose = fitted({ response_format: { type: 'json_object' } });
  assert.equal([loose.sent.response_format, loose.lost], [undefined, []]);
  assert.match(JSON.stringify(loose.sent.messages), /Answer with one JSON object/);
});

test.run();
