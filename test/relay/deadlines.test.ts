/** How long a whole daemon waits for an upstream where only its configuration says so (REQ-12). */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon } from '../support/daemon.ts';
import { type Answer, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { untilThere } from '../support/until.ts';
import { chatRequest, completion, roleChunk } from './wire.ts';

const whole = JSON.stringify(completion());
const begun: Answer = { ...jsonAnswer({}), chunks: [whole.slice(0, 20)], end: 'hang' };
/** Models, each after the deadline that its upstream runs into. */
const silences: Readonly<Record<string, Answer>> = {
  relay_timeout_seconds: { headersAfterMs: 60_000 },
  first_token_timeout_seconds: sseAnswer([roleChunk], { end: 'hang' }),
  streaming_timeout_seconds: begun,
  stream_max_seconds: { ...begun, chunks: [...whole.padStart(600)], pauseMs: 100 },
};

const test = suite('relay: deadlines of the configuration');

test('gives an upstream up by each deadline of the configuration, unless its channel has another', async () => {
  const daemon = await startTestDaemon({
    config: {
      'relay.connect_timeout_seconds': 1,
      'relay.relay_timeout_seconds': 3,
      'relay.first_token_timeout_seconds': 1,
      'relay.streaming_timeout_seconds': 3,
      'relay.stream_max_seconds': 5,
    },
    options: { RetryTimes: '0', SelfUseModeEnabled: 'true' },
  });
  const key = await daemon.addKey();
  /** How the attempt ended, by the log. */
  const ended = async (model: string): Promise<string> => {
    const { headers } = await fetch(`${daemon.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ ...chatRequest, model, stream: model.startsWith('first_token') }),
    });
    const request_id = headers.get('x-request-id') ?? '';
    const row = await untilThere(async () => (await daemon.root.logs.list({ request_id })).items[0]);
    const [attempt] = JSON.parse(row.other).admin_info.attempts;
    return attempt.code === 'upstream_timeout' ? attempt.message.split(' ').at(-1) : attempt.code;
  };

  const sockets: Socket[] = [];
  const mute = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  await once(mute, 'listening');
  const base_url = `https://127.0.0.1:${Reflect.get(Object(mute.address()), 'port')}`;
  await daemon.addChannel({ base_url, models: 'connect_timeout_seconds' });
  await daemon.addChannel({ base_url, models: 'timeout_connect', setting: '{"timeout_connect":60}' });
  const upstreams = await Promise.all(Object.values(silences).map(startFakeUpstream));
  for (const [at, models] of Object.keys(silences).entries()) {
    await daemon.addChannel({ base_url: upstreams[at]?.url ?? '', models });
  }
  const models = ['connect_timeout_seconds', 'timeout_connect', ...Object.keys(silences)];
  assert.equal(await Promise.all(models.map(ended)), [
    'do_request_failed',
    'headers-timeout',
    'headers-timeout',
    'first-token-timeout',
    'idle-timeout',
    'total-timeout',
  ]);
  for (const socket of sockets) socket.destroy();
  mute.close();
  for (const upstream of upstreams) await upstream.close();
  await daemon.stop();
});

test.run();
