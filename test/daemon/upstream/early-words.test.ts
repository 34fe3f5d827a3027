import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { suite } from 'uvu';
import { Transport } from '../../../daemon/upstream/transport.ts';
import { assertQuick } from '../../support/processor-time.ts';
import { noTimeouts, ReplyCollector } from '../../support/reply-collector.ts';

const test = suite<{ server: Server; transport: Transport; answers: string[][] }>('words before an answer');

test.before.each(async (world) => {
  world.answers = [];
  world.transport = new Transport({ guard: { allow: [], channelAllowPrivate: true } });
  world.server = createServer((socket) => {
    socket.setNoDelay(true).on('data', async () => {
      for (const piece of world.answers.shift() ?? []) {
        socket.write(piece);
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
  });
  await once(world.server.listen(0, '127.0.0.1'), 'listening');
});

test.after.each(async ({ transport, server }) => {
  await transport.close();
  server.close();
});

async function ask({ server, transport }: { server: Server; transport: Transport }) {
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const destination = { url, proxy: undefined, egress: 'channel', connectMs: 2000 } as const;
  const reply = new ReplyCollector();
  transport.send({ method: 'POST', destination, headers: [], body: Buffer.from('{}'), timeouts: noTimeouts }, reply);
  await reply.done;
  return reply;
}

const goesOn = 'HTTP/1.1 100 Continue\r\nvia: proxy\r\n\r\n';
const atWork = 'HTTP/1.1 102 Processing\r\n\r\n';
const head = `HTTP/1.1 200 OK\r\ncontent-length: ${goesOn.length}\r\n\r\n`;

for (const [how, pieces] of [
  ['beside hints', [`${goesOn}HTTP/1.1 103 Early Hints\r\n\r\n${head}${goesOn}`]],
  ['twice', [goesOn, goesOn, head, goesOn]],
  ['a byte at a time', [...`${goesOn}${head}${goesOn}`]],
  ['around word of being at work', [`${goesOn}${atWork}${goesOn}${head}${goesOn}`]],
  ['behind word of being at work, a byte at a time', [...`${atWork}${goesOn}${head}${goesOn}`]],
  ['never, but in an answer', [head, goesOn]],
] as const) {
  test(`are passed over where an upstream says that it goes on reading ${how}`, async (world) => {
    world.answers.push([...pieces]);
    const reply = await ask(world);
    assert.deepEqual([reply.status, reply.text], [200, goesOn]);
  });
}

test('may be as many as an upstream likes, and none of them is kept', async (world) => {
  const many = goesOn.repeat(300_000);
  await assertQuick(8000, async () => {
    world.answers.push([many, head, goesOn]);
    assert.equal((await ask(world)).text, goesOn);
  });
});

test.run();
