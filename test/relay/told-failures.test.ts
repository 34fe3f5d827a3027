/**
 * Which of several failures a client is told, whatever it asked for (relay.md 11.6, 11.7), and what its row is told
 * (REQ-1). Runs once: it looks at what goes over the wire.
 */
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { type Answer, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { chatRequest } from './wire.ts';

const test = suite('relay: failures that are told');

/** A gateway before two channels, of which the first is asked first; neither ever takes anything. */
async function refusing(type: number, models: string, answers: readonly [Answer, Answer]) {
  const upstream = await startFakeUpstream(({ headers }) => answers[headers.authorization === 'Bearer sk-one' ? 0 : 1]);
  const channel = { type, baseUrl: upstream.url, models, statusCodeMapping: '{"400":"500"}' };
  const harness = await GatewayHarness.start({
    options: { RetryTimes: 1, ModelRatio: { [models]: 1 }, ModelPrice: { suno_music: 1 } },
    channels: [
      { ...channel, id: 1, keys: ['sk-one'], priority: 9 },
      { ...channel, id: 2, keys: ['sk-two'] },
    ],
  });
  const stop = async () => {
    await harness.stop();
    await upstream.close();
  };
  return { harness, upstream, stop };
}

test('a refused order of a song names the shortest wait that any upstream named', async () => {
  const busy = (seconds: number) => jsonAnswer({ code: 'busy' }, 429, { 'retry-after': String(seconds) });
  const { harness, upstream, stop } = await refusing(36, 'suno_music', [busy(7), busy(40)]);
  try {
    const answer = await harness.post('/suno/submit/music', { prompt: 'hi' });
    await answer.text();
    assert.equal([answer.status, answer.headers.get('retry-after'), upstream.requests.length], [429, '7', 2]);
  } finally {
    await stop();
  }
});

test('a realtime session that several channels refused shows what its client can repair', async () => {
  const repairable = jsonAnswer({ error: { message: 'no such voice', code: 'bad_voice' } }, 400);
  const { harness, upstream, stop } = await refusing(1, 'gpt-realtime', [repairable, jsonAnswer({}, 502)]);
  try {
    const address = `${harness.url.replace('http', 'ws')}/v1/realtime?model=gpt-realtime`;
    const socket = new WebSocket(address, { headers: { authorization: `Bearer sk-${harness.key}` } });
    socket.on('error', () => undefined);
    const [, answer] = await once(socket, 'unexpected-response');
    let body = '';
    for await (const chunk of answer) body += chunk;
    assert.equal([JSON.parse(body).error.code, upstream.requests.length], ['bad_voice', 2]);
  } finally {
    await stop();
  }
});

test('the row of a call that nobody answered names why', async () => {
  const ends: readonly (readonly [Answer, reason: string])[] = [
    [{ headersAfterMs: 5000 }, 'timeout'],
    [{ end: 'reset' }, 'upstream_error'],
    [jsonAnswer({ error: { message: 'no' } }, 500), 'upstream_error'],
    [sseAnswer([{ error: { message: 'no' } }]), 'upstream_error'],
    [{ ...sseAnswer([]), status: 200, end: 'reset' }, 'upstream_eof'],
  ];
  const upstream = await startFakeUpstream((_, index) => ends[index]?.[0] ?? {});
  const harness = await GatewayHarness.start({
    channels: [{ baseUrl: upstream.url, models: 'gpt-4o', setting: '{"timeout_first_byte":0.5}' }],
  });
  try {
    for (const _ of ends) {
      await (await harness.post('/v1/chat/completions', { ...chatRequest, stream: true })).text();
      await harness.settled();
    }
    assert.equal(
      (await harness.rows()).map(({ failed, quota, facts }) => [failed, quota, facts.settle_reason]),
      ends.map(([, reason]) => [true, 0, reason]),
    );
  } finally {
    await harness.stop();
    await upstream.close();
  }
});

test.run();
