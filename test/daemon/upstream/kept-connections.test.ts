/** Connections that are kept between calls, and upstreams that give one up while the next call is on its way. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type BodySource, type Destination, Transport } from '../../../daemon/upstream/transport.ts';
import { noTimeouts, ReplyCollector } from '../../support/reply-collector.ts';

/** What one request found: which of its connection it was, and what it brought. */
interface Seen {
  readonly nth: number;
  readonly body: string;
}

interface World {
  readonly seen: Seen[];
  call(body?: Buffer | BodySource): ReplyCollector;
  close(): Promise<void>;
}

type Answer = (nth: number, request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

async function start(answer: Answer): Promise<World> {
  const seen: Seen[] = [];
  const counts = new WeakMap<Socket, number>();
  const server: Server = createServer(async (request, response) => {
    const nth = (counts.get(request.socket) ?? 0) + 1;
    counts.set(request.socket, nth);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    seen.push({ nth, body: Buffer.concat(chunks).toString() });
    await answer(nth, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const transport = new Transport({ guard: { allow: [], channelAllowPrivate: true } });
  const destination: Destination = {
    url: `http://127.0.0.1:${port}/`,
    proxy: undefined,
    egress: 'channel',
    connectMs: 2000,
  };
  return {
    seen,
    call(body = Buffer.from('{}')) {
      const reply = new ReplyCollector();
      transport.send({ method: 'POST', destination, headers: [], body, timeouts: noTimeouts }, reply);
      return reply;
    },
    async close() {
      await transport.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers the first request of each connection, and does this with every other. */
const firstOnly =
  (others: Answer): Answer =>
  (nth, request, response) =>
    nth === 1 ? void response.end('ok') : others(nth, request, response);

const giveUp: Answer = (_nth, request) => void request.socket.destroy();

const test = suite('kept connections');

for (const [what, end] of [
  ['closed', giveUp],
  ['reset', (_nth, request) => void request.socket.resetAndDestroy()],
] satisfies [string, Answer][]) {
  test(`a call whose kept connection is ${what} at once is asked again over a new one, whole`, async () => {
    const world = await start(firstOnly(end));
    await world.call().done;
    let opened = 0;
    const said = Buffer.alloc(200_000, 'w');
    const body: BodySource = {
      length: said.length,
      open: () => {
        opened += 1;
        return Readable.from([said]);
      },
    };
    for (const wanted of [Buffer.from('once more'), body]) {
      const reply = world.call(wanted);
      await reply.done;
      assert.is(reply.error, undefined);
      assert.is(reply.text, 'ok');
    }
    assert.is(opened, 2);
    assert.equal(
      world.seen.map(({ nth, body: sent }) => [nth, sent.length]),
      [
        [1, 2],
        [2, 9],
        [1, 9],
        [2, said.length],
        [1, said.length],
      ],
    );
    await world.close();
  });
}

test('a call that ends on a new connection, too, is asked no third time', async () => {
  let served = 0;
  const world = await start((nth, request, response) => {
    served += 1;
    if (served === 1) response.end('ok');
    else giveUp(nth, request, response);
  });
  await world.call().done;
  const reply = world.call();
  await reply.done;
  assert.is(reply.error?.kind, 'reset');
  assert.is(reply.error?.requestWritten, true);
  assert.equal(
    world.seen.map(({ nth }) => nth),
    [1, 2, 1],
  );
  await world.close();
});

test('a call is not asked again where the upstream may have been at work on it', async () => {
  for (const [what, end] of [
    ['it broke off after a second', (_nth, request) => sleep(1500).then(() => void request.socket.destroy())],
    [
      'the answer had begun',
      (_nth, request, response) => {
        response.write('a');
        setTimeout(() => request.socket.destroy(), 50);
      },
    ],
  ] satisfies [string, Answer][]) {
    const world = await start(firstOnly(end));
    await world.call().done;
    const reply = world.call();
    await reply.done;
    assert.is(reply.error?.kind, 'reset', what);
    assert.is(world.seen.length, 2, what);
    await world.close();
  }
});

test.run();
