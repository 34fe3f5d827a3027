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
import { bodyOf, saying } from '../support/speaking-upstream.ts';

const threads = suite<ClientWorld>('threads of messages');

threads.before(async (world) => {
  Object.assign(world, await startClientWorld());
});
threads.before.each(({ upstream }) => {
  upstream.requests.length = 0;
});
threads.after(stopClientWorld);

const inputSchema = { type: 'object' as const, properties: { city: { type: 'string' } } };
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

threads.run();
