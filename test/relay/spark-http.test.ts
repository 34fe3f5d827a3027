/** iFlytek Spark over HTTP: what it is asked for is what it knows, whatever the client's dialect. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { asObject, parseJson } from '../../daemon/relay/formats/fields.ts';
import type { JsonObject } from '../../daemon/relay/json.ts';
import { type FakeUpstream, jsonAnswer } from '../support/fake-upstream.ts';
import type { GatewayHarness } from '../support/gateway-harness.ts';
import { type HarnessStarts, startsHarnesses } from '../support/harness-starts.ts';

const test = suite<HarnessStarts>('relay: Spark over HTTP');

startsHarnesses(test);

const model = 'spark-x2.5';
const messages = [{ role: 'user', content: 'hi' }];

function serving({ start, upstream }: HarnessStarts): Promise<GatewayHarness> {
  const channel = { id: 1, type: 18, baseUrl: upstream.url, models: `${model},generalv3.5`, keys: ['password'] };
  return start({ channels: [channel], options: { ModelRatio: { [model]: 1, 'generalv3.5': 1 } } });
}

function lastAsked(upstream: FakeUpstream): JsonObject {
  return asObject(parseJson(String(upstream.requests.at(-1)?.body))) ?? {};
}

test('a schema is asked for in words, and the choice of tokens kept within its range', async (context) => {
  const harness = await serving(context);
  const choices = [{ message: { role: 'assistant', content: '{}' }, index: 0 }];
  context.upstream.script(jsonAnswer({ code: 0, sid: 's', choices }));
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  const response_format = { type: 'json_schema', json_schema: { name: 'n', schema } };
  const body = { model: 'generalv3.5', messages, response_format, top_k: 40 };
  const response = await harness.post('/v1/chat/completions', body);
  assert.is(response.status, 200, await response.text());
  const sent = lastAsked(context.upstream);
  assert.equal([sent.response_format, sent.top_k], [{ type: 'json_object' }, 6]);
  assert.ok(JSON.stringify(sent.messages).includes(JSON.stringify(JSON.stringify(schema)).slice(1, -1)));
});

test('limits and chance are kept within what the version takes, and not for the newest family', async (context) => {
  const harness = await serving(context);
  const choices = [{ message: { role: 'assistant', content: 'pong' }, index: 0 }];
  context.upstream.script(jsonAnswer({ code: 0, sid: 's', choices }));
  const sentFor = async (name: string) => {
    const body = { model: name, messages, max_completion_tokens: 64_000, top_p: 0 };
    const response = await harness.post('/v1/chat/completions', body);
    assert.is(response.status, 200, await response.text());
    const { max_tokens: limit, max_completion_tokens: newer, top_p } = lastAsked(context.upstream);
    return [limit, newer, top_p];
  };
  assert.equal(await sentFor('generalv3.5'), [8192, undefined, 0.001]);
  assert.equal(await sentFor(model), [undefined, 64_000, undefined]);
});

test('a failure inside a success is told, whether its code is a number or text', async (context) => {
  const harness = await serving(context);
  for (const code of [10_013, '10013']) {
    context.upstream.script(jsonAnswer({ code, message: 'moderated', sid: 's' }));
    const response = await harness.post('/v1/chat/completions', { model, messages });
    const text = await response.text();
    assert.equal([response.status, text.includes('moderated')], [400, true], text);
  }
});

test('clients of every dialect say whether to think', async (context) => {
  const harness = await serving(context);
  const choices = [{ message: { role: 'assistant', content: 'pong' }, index: 0 }];
  context.upstream.script(jsonAnswer({ code: 0, sid: 's', choices }));
  for (const [thinking, type] of [
    [{ type: 'enabled', budget_tokens: 1024 }, 'enabled'],
    [{ type: 'disabled' }, 'disabled'],
  ] as const) {
    const response = await harness.post('/v1/messages', { model, messages, max_tokens: 2048, thinking });
    assert.is(response.status, 200, await response.text());
    assert.equal(lastAsked(context.upstream).thinking, { type });
  }
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
  for (const [thinkingBudget, type] of [
    [2048, 'enabled'],
    [0, 'disabled'],
  ] as const) {
    const body = { contents, generationConfig: { thinkingConfig: { thinkingBudget } } };
    const response = await harness.post(`/v1beta/models/${model}:generateContent`, body);
    assert.is(response.status, 200, await response.text());
    assert.equal(lastAsked(context.upstream).thinking, { type });
  }
});

test.run();
