/** Which format and manner an upstream is asked in, where model and request decide it together. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isObject, type Json, type JsonObject } from '../../daemon/relay/json.ts';
import { jsonAnswer, type Script, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { bodyOf, saying } from '../support/speaking-upstream.ts';

const test = suite('relay: choice of the upstream format');

const messages = [{ role: 'user', content: 'What is the time?' }];
const tools = [{ type: 'function', function: { name: 'clock', parameters: { type: 'object', properties: {} } } }];
const called = { calls: [{ id: 'call_1', name: 'clock', args: { zone: 'UTC' } }] };

async function ask(
  channel: { type: number; models: string; modelMapping?: string; setting?: string },
  body: JsonObject,
  script: Script = saying(called),
): Promise<{ path: string; sent: JsonObject; answer: JsonObject }> {
  const upstream = await startFakeUpstream(script);
  const harness = await GatewayHarness.start({
    channels: [{ id: 1, baseUrl: upstream.url, keys: ['k'], ...channel }],
    options: { ModelRatio: Object.fromEntries(channel.models.split(',').map((model) => [model, 1])) },
  });
  try {
    const response = await harness.post('/v1/chat/completions', { messages, ...body });
    const answer: Json = await response.json();
    assert.is(response.status, 200, JSON.stringify(answer));
    const [request] = upstream.requests;
    return { path: request?.url ?? '', sent: bodyOf(request), answer: isObject(answer) ? answer : {} };
  } finally {
    await harness.stop();
    await upstream.close();
  }
}

test('asks the newest models in Responses where tools are offered, and answers in chat', async () => {
  const model = 'gpt-6.1-sol';
  const { path, sent, answer } = await ask({ type: 1, models: model }, { model, tools });
  assert.is(path, '/v1/responses');
  assert.equal(sent.tools, [
    { type: 'function', name: 'clock', parameters: { type: 'object', properties: {} }, strict: false },
  ]);
  const [choice] = Array.isArray(answer.choices) ? answer.choices : [];
  assert.match(JSON.stringify(choice), /"tool_calls":\[\{"id":"call_1","type":"function","function":\{"name":"clock"/);
});

test('leaves them in chat without tools, with bodies passed through, and on hosts that have chat alone', async () => {
  const model = 'gpt-6-sol';
  const channel = { type: 1, models: model };
  const paths = [
    await ask(channel, { model }),
    await ask(channel, { model, tools, reasoning_effort: 'none' }),
    await ask({ ...channel, setting: '{"pass_through_body_enabled":true}' }, { model, tools }),
    await ask({ ...channel, setting: '{"responses_native":false}' }, { model, tools }),
  ].map(({ path }) => path);
  assert.equal(
    paths,
    Array.from({ length: 4 }, () => '/v1/chat/completions'),
  );
});

test('streams from a model that does nothing else, by whatever name its client knows it', async () => {
  const mapped = { type: 17, models: 'thinker', modelMapping: '{"thinker":"qwq-plus"}' };
  const { sent, answer } = await ask(mapped, { model: 'thinker' });
  assert.is(sent.stream, true);
  assert.is(answer.object, 'chat.completion');
});

test('writes anew what models answer in parts or without names', async () => {
  const parts = [
    { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] },
    { type: 'text', text: 'Noon.' },
  ];
  const nameless = {
    id: '',
    model: '',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Noon.' }, finish_reason: 'stop' }],
  };
  for (const [type, model, said, reasoning] of [
    [
      42,
      'magistral-medium-latest',
      { ...nameless, choices: [{ message: { role: 'assistant', content: parts }, finish_reason: 'stop' }] },
      'Hm',
    ],
    [22, 'gpt-4', nameless, undefined],
  ] as const) {
    const { answer } = await ask({ type, models: model }, { model }, () => jsonAnswer(said));
    const [choice] = Array.isArray(answer.choices) ? answer.choices : [];
    const message = isObject(choice) && isObject(choice.message) ? choice.message : {};
    assert.equal([message.content, message.reasoning_content], ['Noon.', reasoning], model);
    assert.is(answer.model, model);
    assert.match(String(answer.id), /^chatcmpl-/);
  }
});

test.run();
