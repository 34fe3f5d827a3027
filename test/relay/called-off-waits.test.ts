/** Clients that leave, and nodes that stop, while something beside the upstream's answer is waited for. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness, type HarnessOptions } from '../support/gateway-harness.ts';
import { until, within } from '../support/until.ts';
import { chatRequest, roleChunk } from './wire.ts';

const test = suite<{ upstream: FakeUpstream }>('relay: called-off waits');
test.before.each(async (context) => {
  context.upstream = await startFakeUpstream();
});
test.after.each(({ upstream }) => upstream.close());

/** Nothing comes of it, and it hears when it is called off. */
function endless() {
  const state = { asked: 0, calledOff: 0 };
  const wait = (signal?: AbortSignal) =>
    new Promise<never>((_, reject) => {
      state.asked += 1;
      signal?.addEventListener('abort', () => {
        state.calledOff += 1;
        reject(new Error('called off'));
      });
    });
  return { state, wait };
}

function headOf({ key }: GatewayHarness, path: string, text: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
}

/** A client that has asked, and what it was told. */
async function asking(harness: GatewayHarness, ...calls: [path: string, body: unknown][]) {
  const socket = connect(Number(new URL(harness.url).port), '127.0.0.1');
  let told = '';
  socket.on('data', (said: Buffer) => (told += said)).on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(calls.map(([path, body]) => headOf(harness, path, JSON.stringify(body))).join(''));
  return { socket, told: () => told };
}

/** Both ways in which nobody wants to wait any longer. */
const ends = {
  'a client that leaves': (_: GatewayHarness, socket: Socket) => socket.destroy(),
  'a node that stops': ({ gateway }: GatewayHarness) => gateway.interrupt(),
};

const address = 'https://files.example/1.png';
const painted = {
  output: { choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: [{ image: address }] } }] },
  usage: { image_count: 1, width: 1024, height: 1024 },
  request_id: 'r',
};

for (const [who, end] of Object.entries(ends)) {
  test(`${who} waits for no file of an answer, which is paid for`, async ({ upstream }) => {
    upstream.script(jsonAnswer(painted));
    const { state, wait } = endless();
    const harness = await GatewayHarness.start({
      channels: [{ type: 17, baseUrl: upstream.url, models: 'qwen-image' }],
      downloads: { maxBytes: 1000, fetch: (_, calledOff) => wait(calledOff) },
    });
    const body = { model: 'qwen-image', prompt: 'a cat', response_format: 'b64_json' };
    const { socket, told } = await asking(harness, ['/v1/images/generations', body]);
    await until(() => state.asked === 1);
    end(harness, socket);
    await within(5000, () => harness.gateway.running === 0);
    assert.is(state.calledOff, 1);
    const [row] = await harness.rows();
    assert.ok((row?.quota ?? 0) > 0);
    if (who === 'a node that stops') await until(() => told().includes(address));
    assert.is(row?.facts.settle_reason, who === 'a node that stops' ? 'complete' : 'client_gone');
    assert.equal(harness.reports, []);
    await harness.stop();
  });

  test(`${who} waits for no token that a key is traded for`, async ({ upstream }) => {
    const { state, wait } = endless();
    const options: HarnessOptions = {
      channels: [{ type: 33, baseUrl: upstream.url, models: 'gpt-4o', keys: ['a|b|us-east-1'] }],
      signers: { aws: { sign: () => wait() } },
    };
    const harness = await GatewayHarness.start(options);
    const { quota: before } = await harness.user();
    const { socket, told } = await asking(harness, ['/v1/chat/completions', chatRequest]);
    await until(() => state.asked === 1);
    end(harness, socket);
    await within(5000, () => harness.gateway.running === 0);
    if (who === 'a node that stops') await until(() => told().includes('shutting_down'));
    assert.equal([(await harness.user()).quota, await harness.rows(), harness.reports], [before, [], []]);
    await harness.stop();
  });
}

for (const stream of [false, true]) {
  test(`a client that leaves leaves all it has asked on its connection, ${stream ? 'streams' : 'whole answers'}`, async ({
    upstream,
  }) => {
    upstream.script(stream ? sseAnswer([roleChunk], { end: 'hang' }) : { headersAfterMs: 60_000 });
    const harness = await GatewayHarness.start({ channels: [{ baseUrl: upstream.url, models: 'gpt-4o' }] });
    const call: [string, unknown] = ['/v1/chat/completions', { ...chatRequest, stream }];
    const { socket } = await asking(harness, call, call, call);
    await until(() => upstream.requests.length === 3);
    socket.destroy();
    await within(10_000, () => upstream.open() === 0 && harness.gateway.running === 0);
    const reasons = (await harness.rows()).map(({ facts }) => facts.settle_reason);
    assert.equal(reasons, ['client_gone', 'client_gone', 'client_gone']);
    await harness.stop();
  });
}

test.run();
