/**
 * What refusals teach: the same channel is asked again at once in another way, and its client notices nothing.
 * Runs once: what is sent to a vendor, and made of its answer, is the same on every database.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { asObject, parseJson } from '../../daemon/relay/formats/fields.ts';
import type { JsonObject } from '../../daemon/relay/json.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { claudeMessage } from './wire.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
  key: string;
}

const test = suite<World>('what refusals teach');
const claude = 'anthropic.claude-next-1-20261101-v1:0';
const models = ['app', 'flow', 'claude-3-haiku-20240307', claude, 'cohere.embed-v5:0'];

test.before(async (world) => {
  world.upstream = await startFakeUpstream();
  world.daemon = await startTestDaemon({
    options: { ModelRatio: JSON.stringify(Object.fromEntries(models.map((model) => [model, 1]))) },
  });
  const base = world.upstream.url;
  const aws = 'AKIAIOSFODNN7EXAMPLE|secret-of-the-key|eu-west-1';
  await world.daemon.addChannel({ type: 37, key: 'app-key', base_url: base, models: 'app' });
  await world.daemon.addChannel({ type: 37, key: 'app-key', base_url: base, models: 'flow', other: 'workflow:topic' });
  await world.daemon.addChannel({ type: 33, key: aws, base_url: base, models: models.slice(2).join(',') });
  world.key = await world.daemon.addKey();
});
test.after(async ({ daemon, upstream }) => {
  await daemon.stop();
  await upstream.close();
});
test.before.each(({ upstream }) => {
  upstream.requests.length = 0;
});

async function post({ daemon, key }: World, path: string, body: JsonObject, headers: Record<string, string> = {}) {
  const response = await fetch(daemon.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, text, json: asObject(parseJson(text)) };
}

function sent({ upstream }: World): JsonObject[] {
  return upstream.requests.map(({ body }) => asObject(parseJson(body.toString())) ?? {});
}

const urls = ({ upstream }: World) => upstream.requests.map(({ url }) => decodeURIComponent(url));
const hi = [{ role: 'user', content: 'hi' }];
const turns = [...hi, { role: 'assistant', content: 'hello' }, { role: 'user', content: 'and now?' }];
const known = { task_id: 't', message_id: 'm1', conversation_id: 'c2' };
const metadata = { usage: { prompt_tokens: 5, completion_tokens: 1 } };
const said = sseAnswer([
  { ...known, event: 'message', answer: 'pong', created_at: 1_705_398_420 },
  { ...known, event: 'message_end', metadata },
]);
const gone = jsonAnswer({ code: 'conversation_not_exists', message: 'Conversation Not Exists.', status: 404 }, 404);

test('a conversation of Dify goes on by its id, with the last question alone', async (world) => {
  world.upstream.script(said);
  const byHeader = await post(
    world,
    '/v1/chat/completions',
    { model: 'app', messages: turns, metadata: { dify_inputs: '{"tone":"dry"}' } },
    { 'X-Dify-Conversation-Id': 'c1' },
  );
  assert.is(byHeader.status, 200, byHeader.text);
  assert.is(byHeader.json?.id, 'c2');
  await post(world, '/v1/chat/completions', {
    model: 'app',
    messages: turns,
    conversation_id: 'c1',
    metadata: { dify_inputs: { tone: 'dry' } },
  });
  const claudes = { model: 'app', max_tokens: 9, messages: turns };
  await post(world, '/v1/messages', claudes, { 'X-Dify-Conversation-Id': 'c1' });
  for (const [at, body] of sent(world).entries()) {
    assert.equal([body.query, body.conversation_id], ['and now?', 'c1']);
    assert.equal(body.inputs, at < 2 ? { tone: 'dry' } : {});
    assert.is(body.metadata, undefined);
  }
  assert.is(world.upstream.requests.length, 3);
});

test('inputs that are no object are refused before anybody is asked', async (world) => {
  const body = { model: 'app', messages: hi, metadata: { dify_inputs: 'dry' } };
  const told = await post(world, '/v1/chat/completions', body);
  assert.is(told.status, 400, told.text);
  assert.match(told.text, 'metadata.dify_inputs');
  assert.is(world.upstream.requests.length, 0);
});

test('a workflow keeps no conversation, whatever the client names', async (world) => {
  world.upstream.script(said);
  const body = { model: 'flow', messages: hi };
  await post(world, '/v1/chat/completions', body, { 'X-Dify-Conversation-Id': 'c1' });
  const [asked] = sent(world);
  assert.equal([asked?.inputs, asked?.conversation_id], [{ topic: 'hi' }, undefined]);
});

test('a workflow is asked the last question, with the instructions beside it', async (world) => {
  world.upstream.script(said);
  await post(world, '/v1/chat/completions', {
    model: 'flow',
    messages: [{ role: 'system', content: 'Be dry.' }, ...turns],
  });
  assert.equal(sent(world)[0]?.inputs, { topic: 'and now?', system: 'Be dry.' });
});

test('a conversation that Dify has lost is begun anew with all of its turns, once', async (world) => {
  world.upstream.script(({ body }) => (asObject(parseJson(body.toString()))?.conversation_id === '' ? said : gone));
  const asked = { model: 'app', messages: turns };
  for (const [body, headers] of [
    [asked, { 'X-Dify-Conversation-Id': 'lost' }],
    [{ ...asked, conversation_id: 'lost' }, {}],
    [{ ...asked, conversation_id: 'lost', stream: true }, {}],
  ] as const) {
    world.upstream.requests.length = 0;
    const told = await post(world, '/v1/chat/completions', body, headers);
    assert.is(told.status, 200, told.text);
    const [first, second] = sent(world);
    assert.equal([first?.conversation_id, first?.query], ['lost', 'and now?']);
    assert.is(second?.conversation_id, '');
    assert.match(String(second?.query), /USER: \nhi\nASSISTANT: \nhello\nUSER: \nand now\?/);
    assert.is(world.upstream.requests.length, 2);
  }
  world.upstream.requests.length = 0;
  world.upstream.script(gone);
  const told = await post(world, '/v1/chat/completions', { ...asked, conversation_id: 'lost' });
  assert.is(told.status, 404, told.text);
  assert.is(world.upstream.requests.length, 2);
});

/** A host that serves a model by profiles with this prefix alone. */
function servedBy(world: World, prefix: string, answer: JsonObject): void {
  const kind = { 'x-amzn-errortype': 'ValidationException:http://internal.amazon.com/' };
  world.upstream.script(({ url }) => {
    const id = decodeURIComponent(url).split('/')[2] ?? '';
    if (id.startsWith(prefix)) return jsonAnswer(answer);
    const message = /^(?:anthropic|cohere)\./.test(id)
      ? `Invocation of model ID ${id} with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.`
      : 'The provided model identifier is invalid.';
    return jsonAnswer({ message }, 400, kind);
  });
}

const message = claudeMessage({
  content: [{ type: 'text', text: 'pong' }],
  usage: { input_tokens: 2, output_tokens: 1 },
});

test('a model that Bedrock serves by profiles alone is asked by one, and by it from then on', async (world) => {
  servedBy(world, 'eu.', message);
  for (const path of ['/v1/messages', '/v1/chat/completions']) {
    const told = await post(world, path, { model: claude, max_tokens: 9, messages: hi });
    assert.is(told.status, 200, told.text);
  }
  assert.equal(
    urls(world),
    [claude, `global.${claude}`, `eu.${claude}`, `eu.${claude}`].map((id) => `/model/${id}/invoke`),
  );
  world.upstream.requests.length = 0;
  servedBy(world, 'global.', { embeddings: { float: [[1, 2]] } });
  const embedded = await post(world, '/v1/embeddings', { model: 'cohere.embed-v5:0', input: 'hi' });
  assert.is(embedded.status, 200, embedded.text);
  assert.equal(urls(world), ['/model/cohere.embed-v5:0/invoke', '/model/global.cohere.embed-v5:0/invoke']);
});

test('a channel test finds the profile too', async (world) => {
  const only = `${claude}-tested`;
  const id = await world.daemon.addChannel({
    type: 33,
    key: 'AKIAIOSFODNN7EXAMPLE|secret-of-the-key|us-east-1',
    base_url: world.upstream.url,
    models: only,
  });
  servedBy(world, 'us.', message);
  const tested = await world.daemon.root.channels.test({ id });
  assert.equal(urls(world), [`/model/${only}/invoke`, `/model/global.${only}/invoke`, `/model/us.${only}/invoke`]);
  assert.is(tested.success, true, JSON.stringify(tested));
});

test('a model that Bedrock does not know under any profile is refused after the last', async (world) => {
  servedBy(world, 'nobody.', message);
  const told = await post(world, '/v1/messages', { model: claude, max_tokens: 9, messages: hi });
  assert.is(told.status, 404, told.text);
  assert.equal(urls(world), [`/model/eu.${claude}/invoke`]);
});

test('trial features of Claude reach Bedrock in the body, in whatever dialect the client speaks', async (world) => {
  world.upstream.script(jsonAnswer(message));
  const headers = { 'anthropic-beta': 'claude-code-20250219, context-1m-2025-08-07' };
  const body = { model: 'claude-3-haiku-20240307', max_tokens: 9, messages: hi };
  for (const path of ['/v1/messages', '/v1/chat/completions']) {
    const told = await post(world, path, body, headers);
    assert.is(told.status, 200, told.text);
  }
  assert.equal(
    sent(world).map((wire) => wire.anthropic_beta),
    [['context-1m-2025-08-07'], ['context-1m-2025-08-07']],
  );
});

test.run();
