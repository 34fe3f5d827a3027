/** What a client is told of asking again, where it came too often and where it would ask in vain. */
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { askAtOnce } from '../support/ask-at-once.ts';
import { jsonAnswer } from '../support/fake-upstream.ts';
import { testKey } from '../support/gateway-harness.ts';
import { type HarnessStarts, startsHarnesses } from '../support/harness-starts.ts';
import { chatRequest, completion } from './wire.ts';

const test = suite<HarnessStarts>('relay: asking again');

startsHarnesses(test);

test('says where asking again cannot help, since clients would', async ({ start }) => {
  const { url, key } = await start();
  const ask = (path: string, headers: Record<string, string>, body: string) =>
    fetch(`${url}${path}`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
  const right = { authorization: `Bearer sk-${key}` };
  const chat = '/v1/chat/completions';
  const cases: readonly [answer: Promise<Response>, status: number, said: string | null][] = [
    [ask(chat, {}, JSON.stringify(chatRequest)), 401, 'false'],
    [ask('/v1/messages', { 'x-api-key': `sk-${testKey('nobody')}` }, '{}'), 401, 'false'],
    [ask('/v1/fine-tunes', right, '{}'), 501, 'false'],
    [ask(chat, right, '{}'), 400, null],
  ];
  for (const [answer, status, said] of cases) {
    const response = await answer;
    assert.is(response.status, status);
    assert.is(response.headers.get('x-should-retry'), said);
    await response.body?.cancel();
  }
});

test('leaves it open where an upstream refused, since another channel may answer', async ({ start, upstream }) => {
  const harness = await start();
  // Another gateway may call its refusals as this one does.
  for (const type of ['server_error', 'tollgate_error']) {
    upstream.script(jsonAnswer({ error: { message: 'no such thing here', type } }, 501));
    const refused = await harness.post('/v1/chat/completions', chatRequest);
    assert.is(refused.status, 501);
    assert.is(refused.headers.get('x-should-retry'), null);
    await refused.body?.cancel();
  }
});

test('limits how many requests run at once, of all users and of one', async ({ start, upstream }) => {
  const rush = { upstream, answer: jsonAnswer(completion()), calls: 4, room: 2 };
  for (const [config, status] of [
    [{ maxConcurrent: 2 }, 503],
    [{ maxConcurrentPerUser: 2 }, 429],
  ] as const) {
    const harness = await start({ config });
    const answers = await askAtOnce(rush, () => harness.post('/v1/chat/completions', chatRequest));
    const statuses = answers.map((answer) => answer.status).sort();
    assert.equal(statuses, [200, 200, status, status]);
    assert.is(answers.find((answer) => answer.status === status)?.headers.get('retry-after'), '1');
  }
});

test('refuses what is beyond a limit without the database, each of many calls at once', async ({ start }) => {
  // What is known of a key does not age meanwhile, however slow the machine is.
  const now = performance.now();
  const harness = await start({ options: { RateLimits: { user: { '*': { rpm: 1 } } } }, monotonic: () => now });
  assert.is((await harness.post('/v1/chat/completions', chatRequest)).status, 200);
  await harness.settled();
  // Whoever asked it now would be told that accounting is away.
  await harness.database.close();
  const calls = 100;
  const body = JSON.stringify(chatRequest);
  const request =
    `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${harness.key}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  const { port, hostname } = new URL(harness.url);
  const answers = await new Promise<string>((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.write(request.repeat(calls)));
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
    socket.on('data', (part) => {
      text += part.toString('latin1');
      if (text.split('HTTP/1.1 ').length > calls && text.endsWith('}')) socket.destroy();
    });
  });
  assert.is(answers.split('HTTP/1.1 429').length - 1, calls);
  assert.is(answers.split('"rate_limited:user_rpm"').length - 1, calls);
  assert.is(answers.split('Retry-After: ').length - 1, calls);
});

test.run();
