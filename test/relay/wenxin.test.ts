/**
 * Baidu's first generation, whose refusals and conversations are its own (providers/baidu.md, V1), before a whole daemon.
 * Runs once: what is sent to a vendor, and made of its answer, is the same on every database.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon } from '../support/daemon.ts';
import { jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { postJson, type RelayWorld, tidyBetween } from '../support/relay-world.ts';

const test = suite<RelayWorld>('relay: Wenxin');
/** Of two channels with all models the first is asked first; its key may use this one, and no other. */
const allowed = 'ERNIE-Speed-8K';
const talker = 'ERNIE-4.0-8K';

test.before(async (world) => {
  world.upstream = await startFakeUpstream(({ url }) => {
    const { pathname, searchParams } = new URL(url, 'http://upstream');
    if (pathname === '/oauth/2.0/token') {
      return jsonAnswer({ access_token: searchParams.get('client_id'), expires_in: 2_592_000 });
    }
    const isForbidden = searchParams.get('access_token') === 'first' && !pathname.endsWith('/ernie_speed');
    if (isForbidden) return jsonAnswer({ error_code: 6, error_msg: 'No permission to access data', id: 'as-1' });
    const usage = { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 };
    return jsonAnswer({ id: 'as-1', created: 5, result: 'pong', usage });
  });
  const ones = JSON.stringify({ [allowed]: 1, [talker]: 1 });
  world.daemon = await startTestDaemon({ options: { ModelRatio: ones, RetryTimes: '1' } });
  const channel = { type: 15, base_url: world.upstream.url, models: `${allowed},${talker}` };
  await world.daemon.addChannel({ ...channel, key: 'first|secret', priority: 9 });
  await world.daemon.addChannel({ ...channel, key: 'second|secret' });
  world.key = await world.daemon.addKey();
});
tidyBetween(test);

/** What was asked, each with the key that asked. */
function calls({ upstream }: RelayWorld): string[] {
  return upstream.requests
    .filter(({ url }) => !url.startsWith('/oauth'))
    .map(({ url }) => url.slice(url.lastIndexOf('/') + 1).replace('?access_token=', ' '));
}

test('a model that a key may not use is asked of the next channel, and speaks against no other model', async (world) => {
  const messages = [{ role: 'user', content: 'ping' }];
  for (let count = 0; count < 3; count += 1) {
    const { status, body } = await postJson(world, '/v1/chat/completions', { model: talker, messages });
    assert.is(status, 200, JSON.stringify(body));
  }
  await postJson(world, '/v1/chat/completions', { model: allowed, messages });
  const refused = ['completions_pro first', 'completions_pro second'];
  assert.equal(calls(world), [...refused, ...refused, ...refused, 'ernie_speed first']);
});

test('calls that were made at once follow one another, and the two sides take turns', async (world) => {
  const call = (id: string, name: string) => ({
    id,
    type: 'function',
    function: { name, arguments: `{"id":"${id}"}` },
  });
  const ask = { role: 'user', content: 'Weather and time?' };
  const made = { role: 'assistant', content: 'Let me see.', tool_calls: [call('c1', 'look'), call('c2', 'clock')] };
  const result = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content });
  const results = [result('c2', 'noon'), result('c1', '{"sky":"blue"}')];
  const go = { role: 'user', content: 'Go on' };
  const { status, body } = await postJson(world, '/v1/chat/completions', {
    model: allowed,
    messages: [ask, made, ...results, go],
  });
  assert.is(status, 200, JSON.stringify(body));
  const said = (name: string, id: string, content: string) => ({
    role: 'assistant',
    content,
    function_call: { name, arguments: `{"id":"${id}"}` },
  });
  assert.equal(JSON.parse(world.upstream.requests.at(-1)?.body.toString() ?? '').messages, [
    ask,
    said('look', 'c1', 'Let me see.'),
    { role: 'function', name: 'look', content: '{"sky":"blue"}' },
    said('clock', 'c2', ''),
    { role: 'function', name: 'clock', content: '{"result":"noon"}' },
    { role: 'assistant', content: '...' },
    go,
  ]);
});

test('functions of the old form are told as calls of tools are', async (world) => {
  const ask = { role: 'user', content: 'Weather?' };
  const made = { role: 'assistant', content: null, function_call: { name: 'look', arguments: '{"id":"c1"}' } };
  const { status, body } = await postJson(world, '/v1/chat/completions', {
    model: allowed,
    messages: [ask, made, { role: 'function', name: 'look', content: 'rain' }],
    functions: [{ name: 'look', description: 'Looks', parameters: { type: 'object', properties: {} } }],
  });
  assert.is(status, 200, JSON.stringify(body));
  const sent = JSON.parse(world.upstream.requests.at(-1)?.body.toString() ?? '');
  assert.equal(sent.messages, [
    ask,
    { role: 'assistant', content: '', function_call: { name: 'look', arguments: '{"id":"c1"}' } },
    { role: 'function', name: 'look', content: '{"result":"rain"}' },
  ]);
  assert.equal(
    sent.functions.map(({ name }: { name: string }) => name),
    ['look'],
  );
});

test.run();
