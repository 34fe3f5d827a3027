/**
 * Tools that Anthropic's servers run, asked of models on Amazon Bedrock, which refuses them (providers/bedrock.md).
 * Runs once: what is sent to a vendor is the same on every database.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isObject, type Json, type JsonObject } from '../../daemon/relay/json.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
  keys: Record<'warn' | 'strict', string>;
}

const test = suite<World>('relay: tools on Bedrock');

const claude = 'claude-opus-4-6';
const nova = 'nova-2-lite';
const usage = { input_tokens: 1, output_tokens: 1 };
const text = { type: 'text', text: 'pong' };
const message = { type: 'message', role: 'assistant', content: [text], stop_reason: 'end_turn', usage };
const answered = { role: 'assistant', content: [{ text: 'pong' }] };
const conversed = { output: { message: answered }, stopReason: 'end_turn', usage: { inputTokens: 1, outputTokens: 1 } };

test.before(async (world) => {
  world.upstream = await startFakeUpstream(({ url }) => jsonAnswer(url.includes('/converse') ? conversed : message));
  world.daemon = await startTestDaemon({ options: { SelfUseModeEnabled: 'true' } });
  await world.daemon.addChannel({
    type: 33,
    base_url: world.upstream.url,
    key: 'AKIAIOSFODNN7EXAMPLE|secret-of-the-key|eu-west-1',
    models: `${claude},${nova}`,
  });
  world.keys = {
    warn: await world.daemon.addKey({ conversion: 'warn' }),
    strict: await world.daemon.addKey({ conversion: 'strict' }),
  };
});
test.before.each(({ upstream }) => {
  upstream.requests.length = 0;
});
test.after(async ({ daemon, upstream }) => {
  await daemon.stop();
  await upstream.close();
});

const schema = { type: 'object', properties: { at: { type: 'integer' } } };
const look = { name: 'look', input_schema: schema };
const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 2 };
const shell = { type: 'bash_20250124', name: 'bash' };
const asked = { max_tokens: 9, messages: [{ role: 'user', content: 'ping' }] };

async function ask({ daemon, upstream, keys }: World, path: string, body: JsonObject, key: 'warn' | 'strict' = 'warn') {
  const answer = await fetch(`${daemon.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys[key]}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await answer.text();
  const sent: Json = JSON.parse(upstream.requests.at(-1)?.body.toString() ?? 'null');
  const lost = answer.headers.get('tollgate-dropped-fields') ?? '';
  return { status: answer.status, lost, sent: isObject(sent) ? sent : {} };
}

test('Claude is asked without the tools that its vendor’s servers run, and with those that run at the client', async (world) => {
  const body = { ...asked, model: claude, tools: [search, look, shell], tool_choice: { type: 'tool', name: 'look' } };
  const { status, lost, sent } = await ask(world, '/v1/messages', body);
  assert.equal(
    [status, lost, sent.tools, sent.tool_choice],
    [200, 'tools.web_search', [look, shell], body.tool_choice],
  );
  const forced = { type: 'tool', name: 'web_search' };
  const unforced = await ask(world, '/v1/messages', { ...body, tool_choice: forced });
  assert.equal([unforced.sent.tools, unforced.sent.tool_choice], [[look, shell], undefined]);
  assert.is(unforced.lost, 'tool_choice, tools.web_search');
  const alone = await ask(world, '/v1/messages', { ...asked, model: claude, tools: [search] });
  assert.equal([alone.status, alone.lost, alone.sent.tools], [200, 'tools', undefined]);
});

test('a search that a client asks for in other words is left out, named, or refused to a strict key', async (world) => {
  const { messages } = asked;
  for (const model of [claude, nova]) {
    const chat = await ask(world, '/v1/chat/completions', { model, messages, web_search_options: {} });
    assert.equal([chat.status, chat.lost], [200, 'web_search'], model);
    assert.not.match(JSON.stringify(chat.sent), 'web_search');
    const responses = await ask(world, '/v1/responses', { model, input: 'ping', tools: [{ type: 'web_search' }] });
    assert.equal([responses.status, responses.lost], [200, 'web_search'], model);
    assert.not.match(JSON.stringify(responses.sent), 'web_search');
    const own = await ask(world, '/v1/messages', { ...asked, model, tools: [search, look] });
    assert.equal([own.status, own.lost], [200, 'tools.web_search'], model);
    world.upstream.requests.length = 0;
    const strict = await ask(world, '/v1/messages', { ...asked, model, tools: [search, look] }, 'strict');
    assert.equal([strict.status, world.upstream.requests.length], [400, 0], model);
  }
});

test.run();
