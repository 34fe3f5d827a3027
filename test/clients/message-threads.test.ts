/**
 * Threads of Anthropic's package: a conversation that the vendor keeps, of which each turn sends its own messages
 * alone. The package's runner of tools works by them unless told otherwise.
 * Runs once: what a client sends and reads is the same on every database.
 */
import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isObject, type Json } from '../../daemon/relay/json.ts';
import {
  type ClientWorld,
  everyModel,
  models,
  post,
  startClientWorld,
  stopClientWorld,
} from '../support/client-world.ts';
import { jsonAnswer } from '../support/fake-upstream.ts';
import { bodyOf, saying } from '../support/speaking-upstream.ts';

const threads = suite<ClientWorld>('threads of messages');

threads.before(async (world) => {
  Object.assign(world, await startClientWorld());
});
threads.before.each(({ upstream }) => {
  upstream.requests.length = 0;
});
threads.after(stopClientWorld);

const inputSchema = { type: 'object' as const, properties: { city: { type: 'string' as const } } };
const question = { role: 'user' as const, content: 'weather?' };
const called = [{ id: 'call_1', name: 'weather', args: { city: 'Oslo' } }];

/** Asks by the runner of tools; the last words. */
async function run({ daemon, key }: ClientWorld, model: string, stream: boolean): Promise<string> {
  const client = new Anthropic({ baseURL: daemon.url, apiKey: key, maxRetries: 0 });
  const weather = betaTool({ name: 'weather', description: 'd', inputSchema, run: () => 'sunny in Oslo' });
  const asked = { model, max_tokens: 500, messages: [question], tools: [weather] };
  const answer = await client.beta.messages.toolRunner(stream ? { ...asked, stream } : asked).runUntilDone();
  return answer.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
}

function threadOf(body: Json): Json | undefined {
  return isObject(body) ? body.thread : undefined;
}

for (const model of everyModel.filter((name) => name !== models.messages)) {
  for (const stream of [false, true]) {
    const manner = stream ? 'streamed' : 'whole';
    threads(`the runner of tools tells ${model} the whole conversation, ${manner}`, async (world) => {
      const { upstream } = world;
      upstream.script((request, index) =>
        saying(request.body.includes('sunny in Oslo') ? { text: 'done' } : { calls: called })(request, index),
      );
      assert.is(await run(world, model, stream), 'done');
      assert.is(upstream.requests.length, 2);
      const last = JSON.stringify(bodyOf(upstream.requests.at(-1)));
      for (const said of ['weather?', 'Oslo']) assert.ok(last.includes(said), last);
      assert.not.ok(last.includes('"thread"'));
    });
  }

  threads(`a thread before ${model} is refused with the code that packages read`, async (world) => {
    for (const thread of [{ type: 'create' }, { type: 'continue', previous_message_id: 'msg_1' }]) {
      const answer = await post(world, '/v1/messages', { model, max_tokens: 9, messages: [question], thread });
      assert.is(answer.status, 400);
      const { error } = Object(await answer.json());
      assert.is(error.type, 'invalid_request_error');
      assert.match(error.message, 'thread: a thread that an upstream keeps cannot be converted');
      assert.equal(error.details, { error_code: 'thread_unsupported_request' });
    }
    assert.is(world.upstream.requests.length, 0);
  });
}

threads('a thread before its own vendor goes through as it is', async (world) => {
  const { upstream } = world;
  upstream.script((request, index) =>
    saying(request.body.includes('sunny in Oslo') ? { text: 'done' } : { calls: called })(request, index),
  );
  assert.is(await run(world, models.messages, true), 'done');
  const [first, second] = upstream.requests.map((request) => threadOf(bodyOf(request)));
  assert.equal(first, { type: 'create' });
  assert.equal(second, { type: 'continue', previous_message_id: 'msg_1' });
});

const borrowers = [
  { host: 'DeepSeek', type: 43, name: 'deepseek-chat', fields: {} },
  { host: 'Bedrock', type: 33, name: 'claude-sonnet-4-5', fields: { key: 'AKIAIOSFODNN7EXAMPLE|secret|eu-west-1' } },
];
for (const { host, type, name, fields } of borrowers) {
  threads(`${host}, which speaks of messages and keeps none, is told the whole conversation`, async (world) => {
    const { daemon, upstream } = world;
    await daemon.addChannel({ base_url: upstream.url, type, models: name, name: host, ...fields });
    upstream.script(({ body }) => {
      const content = body.includes('sunny in Oslo')
        ? [{ type: 'text', text: 'done' }]
        : [{ type: 'tool_use', id: 'call_1', name: 'weather', input: { city: 'Oslo' } }];
      const stop_reason = content[0]?.type === 'text' ? 'end_turn' : 'tool_use';
      const usage = { input_tokens: 12, output_tokens: 5 };
      return jsonAnswer({ id: 'msg_1', type: 'message', role: 'assistant', model: name, content, stop_reason, usage });
    });
    assert.is(await run(world, name, false), 'done');
    assert.is(upstream.requests.length, 2);
    const last = upstream.requests.at(-1)?.body.toString() ?? '';
    for (const said of ['weather?', 'Oslo']) assert.ok(last.includes(said), last);
    assert.not.ok(last.includes('"thread"'));
  });
}

/** A thread that its vendor has lost is told anew: the package knows by the code in the refusal. */
threads('a thread that its vendor no longer has is begun again by the package', async (world) => {
  const { daemon, upstream } = world;
  const details = { error_code: 'thread_not_found', account: 'of the operator' };
  const error = { type: 'not_found_error', message: 'no such thread', details };
  upstream.script((request, index) => {
    const thread = threadOf(bodyOf(request));
    if (isObject(thread) && thread.type === 'continue') return jsonAnswer({ type: 'error', error }, 404);
    return saying(request.body.includes('sunny in Oslo') ? { text: 'done' } : { calls: called })(request, index);
  });
  assert.is(await run(world, models.messages, false), 'done');
  const last = bodyOf(upstream.requests.at(-1));
  assert.equal(last.thread, { type: 'create' });
  assert.is(Array.isArray(last.messages) && last.messages.length, 3);

  const thread = { type: 'continue', previous_message_id: 'msg_1' };
  const asked = { model: models.messages, max_tokens: 9, messages: [question], thread };
  const told = Object(await (await post(world, '/v1/messages', asked)).json());
  assert.equal(told.error.details, { error_code: 'thread_not_found' });
  await daemon.root.options.set({ key: 'global.hide_upstream_error_enabled', value: 'true' });
  const hidden = Object(await (await post(world, '/v1/messages', asked)).json());
  assert.is(hidden.error.details, undefined);
  await daemon.root.options.set({ key: 'global.hide_upstream_error_enabled', value: 'false' });
});

threads('a turn that paused goes on with no message of its own, in a thread alone', async (world) => {
  const { upstream } = world;
  upstream.script(saying({ text: 'on' }));
  const asked = { model: models.messages, max_tokens: 9, messages: [] };
  const thread = { type: 'continue', previous_message_id: 'msg_1' };
  const answer = await post(world, '/v1/messages', { ...asked, thread });
  assert.is(answer.status, 200, await answer.text());
  assert.equal(bodyOf(upstream.requests.at(-1)).messages, []);
  for (const other of [{}, { thread: { type: 'create' } }]) {
    assert.is((await post(world, '/v1/messages', { ...asked, ...other })).status, 400);
  }
});

threads.run();
