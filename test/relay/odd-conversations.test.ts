/** Conversations and answers that are allowed and rare, through a whole gateway: nothing of them may get lost or out of place. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isObject, type Json, type JsonObject } from '../../daemon/relay/json.ts';
import { type FakeUpstream, jsonAnswer, type RecordedRequest, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { completion } from './wire.ts';

interface World {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<World>('relay/odd conversations');

const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn' };
const generated = { candidates: [{ content: { role: 'model', parts: [{ text: 'ok' }] }, finishReason: 'STOP' }] };

function answers({ url }: RecordedRequest) {
  if (url.includes('enerateContent')) return jsonAnswer(generated);
  if (!url.includes('/messages')) return jsonAnswer(completion());
  const usage = { input_tokens: 1, output_tokens: 1 };
  return jsonAnswer({ ...message, content: [{ type: 'text', text: 'ok' }], usage });
}

test.before(async (world) => {
  world.upstream = await startFakeUpstream(answers);
  const baseUrl = world.upstream.url;
  const keys = ['sk-upstream'];
  world.harness = await GatewayHarness.start({
    channels: [
      { id: 1, type: 1, baseUrl, keys, models: 'gpt-4o', setting: '{"responses_native":false}' },
      { id: 2, type: 14, baseUrl, keys, models: 'claude-sonnet-4-5' },
      { id: 3, type: 24, baseUrl, keys, models: 'gemini-2.5-flash' },
    ],
    options: { SelfUseModeEnabled: true },
  });
});
test.before.each(({ upstream }) => {
  upstream.requests.length = 0;
  upstream.script(answers);
});
test.after(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

/** What the upstream was sent for a request of the client. */
async function sent({ harness, upstream }: World, path: string, body: JsonObject): Promise<JsonObject> {
  const answer = await harness.post(path, body);
  assert.is(answer.status, 200, await answer.text());
  const json: unknown = JSON.parse(upstream.requests.at(-1)?.body.toString() ?? 'null');
  return isObject(json) ? json : {};
}

const call = (id: string) => ({ id, type: 'function', function: { name: `look_${id}`, arguments: '{}' } });
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: `found ${id}` });
const interrupted: Readonly<Record<string, (model: string) => JsonObject>> = {
  '/v1/chat/completions': (model) => ({
    model,
    messages: [
      { role: 'user', content: 'look' },
      { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] },
      result('b'),
      { role: 'user', content: 'hurry' },
      result('a'),
    ],
  }),
  '/v1/responses': (model) => ({
    model,
    input: [
      { role: 'user', content: 'look' },
      ...['a', 'b'].map((id) => ({ type: 'function_call', call_id: id, name: `look_${id}`, arguments: '{}' })),
      { type: 'function_call_output', call_id: 'b', output: 'found b' },
      { role: 'user', content: 'hurry' },
      { type: 'function_call_output', call_id: 'a', output: 'found a' },
    ],
  }),
};

const roles = (value: Json | undefined) =>
  (Array.isArray(value) ? value : []).map((entry) => isObject(entry) && entry.role);

for (const [path, body] of Object.entries(interrupted)) {
  test(`brings the results of one turn together, whatever stood between them in ${path}`, async (world) => {
    if (path === '/v1/responses') {
      const { messages } = await sent(world, path, body('gpt-4o'));
      assert.equal(roles(messages), ['user', 'assistant', 'tool', 'tool', 'user']);
    }
    const { messages } = await sent(world, path, body('claude-sonnet-4-5'));
    assert.equal(roles(messages), ['user', 'assistant', 'user']);
    assert.match(JSON.stringify(messages), /"tool_result".*"tool_result".*hurry/);
    const { contents } = await sent(world, path, body('gemini-2.5-flash'));
    assert.equal(roles(contents), ['user', 'model', 'user']);
    assert.match(JSON.stringify(contents), /"result":"found a".*"result":"found b".*hurry/);
  });
}

test.run();
