/** Calls over WebSockets through the transport: guarded, timed and told apart like any other call. */
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocketServer } from 'ws';
import type { SocketTalk } from '../../../daemon/relay/socket-talk.ts';
import { type CallTimeouts, Transport } from '../../../daemon/upstream/transport.ts';
import { startFakeSocketUpstream } from '../../support/fake-socket-upstream.ts';
import { noTimeouts, ReplyCollector } from '../../support/reply-collector.ts';
import { until, within } from '../../support/until.ts';

const test = suite('socket calls');

interface Wanted {
  readonly transport: Transport;
  readonly url: string;
  readonly proxy?: string;
  readonly timeouts?: CallTimeouts;
  readonly talk?: SocketTalk;
}

async function call({ transport, url, proxy, timeouts = noTimeouts, talk }: Wanted): Promise<ReplyCollector> {
  const collector = new ReplyCollector();
  const destination = { url: url.replace(/^http/, 'ws'), proxy, egress: 'channel', connectMs: 2000 } as const;
  const headers = ['content-type', 'application/json', 'user-agent', 'Tollgate/1'];
  transport.send({ method: 'POST', destination, headers, body: Buffer.from('{"ask":1}'), timeouts, talk }, collector);
  await collector.done;
  return collector;
}

function open(channelAllowPrivate = true): Transport {
  return new Transport({ guard: { allow: [], channelAllowPrivate } });
}

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(isAddress(address));
  return address.port;
}

function isAddress(value: unknown): value is AddressInfo {
  return typeof value === 'object' && value !== null && 'port' in value;
}

test('a frame asks, frames become events, and the query is sent as it was signed', async () => {
  const upstream = await startFakeSocketUpstream();
  const transport = open();
  try {
    upstream.script({ frames: [{ a: 1 }, { b: 'x\ny' }] });
    const reply = await call({ transport, url: `${upstream.url}/v4.0/chat?date=Tue%2C+14+Nov&sig=a%2Bb%3D` });
    assert.is(reply.status, 200);
    assert.is(reply.text, 'data: {"a":1}\n\ndata: {"b":"x\\ny"}\n\n');
    const [sent] = upstream.requests;
    assert.equal(sent?.frame, { ask: 1 });
    assert.is(sent?.url.search, '?date=Tue%2C+14+Nov&sig=a%2Bb%3D');
    assert.is(sent?.headers['user-agent'], 'Tollgate/1');
    assert.is(sent?.headers['content-type'], undefined);
  } finally {
    await transport.destroy();
    await upstream.close();
  }
});

test('a handshake that is refused is an ordinary answer', async () => {
  const upstream = await startFakeSocketUpstream();
  const transport = open();
  try {
    upstream.refuse(403, { message: 'clock' });
    const reply = await call({ transport, url: upstream.url });
    assert.equal([reply.status, reply.text, reply.error], [403, '{"message":"clock"}', undefined]);
  } finally {
    await transport.destroy();
    await upstream.close();
  }
});

test('addresses are guarded, and ports where nobody listens are told apart from resets', async () => {
  const upstream = await startFakeSocketUpstream();
  const guarded = open(false);
  const transport = open();
  try {
    const refused = await call({ transport: guarded, url: upstream.url });
    assert.is(refused.error?.kind, 'refused-address');
    assert.equal(upstream.requests, []);
    upstream.script({ frames: [{ a: 1 }], end: 'break' });
    const broken = await call({ transport, url: upstream.url });
    assert.equal([broken.error?.kind, broken.error?.requestWritten], ['reset', true]);
  } finally {
    await upstream.close();
  }
  const nobody = await call({ transport, url: upstream.url });
  assert.equal([nobody.error?.kind, nobody.error?.requestWritten], ['connect', false]);
  await transport.destroy();
  await guarded.destroy();
});

test('a server that never finishes the handshake, and one that falls silent, meet their deadlines', async () => {
  const mute = createTcpServer((socket) => socket.on('error', () => undefined));
  const port = await portOf(mute);
  const upstream = await startFakeSocketUpstream();
  const transport = open();
  try {
    const timeouts = { ...noTimeouts, headersMs: 200, idleMs: 200 };
    const stuck = await call({ transport, url: `http://127.0.0.1:${port}`, timeouts });
    assert.is(stuck.error?.kind, 'headers-timeout');
    upstream.script({ frames: [{ a: 1 }], end: 'hang' });
    const silent = await call({ transport, url: upstream.url, timeouts });
    assert.is(silent.error?.kind, 'idle-timeout');
    const late = new Promise((resolve) => setTimeout(() => resolve('late'), 2000).unref());
    assert.is.not(await Promise.race([upstream.requests[0]?.closed, late]), 'late');
  } finally {
    await transport.destroy();
    await upstream.close();
    mute.close();
  }
});

test('a call that is called off while hands are shaken keeps no connection', async () => {
  const opened = new Set<Socket>();
  const mute = createTcpServer((socket) => {
    opened.add(socket);
    socket.on('error', () => undefined).on('close', () => opened.delete(socket));
    socket.resume();
  });
  const port = await portOf(mute);
  const transport = open();
  try {
    const destination = {
      url: `ws://127.0.0.1:${port}`,
      proxy: undefined,
      egress: 'channel',
      connectMs: 2000,
    } as const;
    const question = { method: 'POST', destination, headers: [], body: Buffer.from('{}'), timeouts: noTimeouts };
    const asked = transport.send(question, new ReplyCollector());
    await until(() => opened.size === 1);
    asked.abort();
    await within(5000, () => opened.size === 0);
  } finally {
    await transport.destroy();
    for (const socket of opened) socket.destroy();
    mute.close();
  }
});

test('a channel that has a proxy asks through it', async () => {
  const upstream = await startFakeSocketUpstream();
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const proxy = createHttpServer();
  proxy.on('connect', (incoming, client: Socket) => {
    seen.push(incoming.url ?? '');
    const onward = connect(Number(new URL(upstream.url).port), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(client).pipe(onward);
    });
    for (const socket of [client, onward]) sockets.add(socket.on('error', () => undefined));
  });
  const port = await portOf(proxy);
  const transport = open();
  try {
    upstream.script({ frames: [{ a: 1 }] });
    const reply = await call({ transport, url: upstream.url, proxy: `http://127.0.0.1:${port}` });
    assert.is(reply.text, 'data: {"a":1}\n\n');
    assert.equal(seen, [new URL(upstream.url).host]);
  } finally {
    await transport.destroy();
    await upstream.close();
    for (const socket of sockets) socket.destroy();
    proxy.close();
  }
});

test('a talk decides frame by frame what is said and what is told', async () => {
  const upstream = await startFakeSocketUpstream();
  const transport = open();
  const heard: unknown[] = [];
  const talk: SocketTalk = {
    hear(frame, kind) {
      heard.push([kind, JSON.parse(frame.toString())]);
      if (heard.length === 1) return { contentType: 'audio/mpeg' };
      return heard.length === 2 ? { tell: Buffer.from('sound') } : { tell: Buffer.from('!'), end: true };
    },
  };
  try {
    upstream.script({ frames: [{ a: 1 }, { a: 2 }, { a: 3 }, { a: 4 }], end: 'hang' });
    const reply = await call({ transport, url: upstream.url, talk });
    assert.equal([reply.status, reply.text, reply.error], [200, 'sound!', undefined]);
    // Nothing is heard after the end, and the socket is closed from here.
    assert.is(heard.length, 3);
    await upstream.requests[0]?.closed;
  } finally {
    await transport.destroy();
    await upstream.close();
  }
});

test('a socket that closes before the talk is over has broken, however politely', async () => {
  const upstream = await startFakeSocketUpstream();
  const transport = open();
  try {
    for (const end of ['close', 'break'] as const) {
      upstream.script({ frames: [{ a: 1 }], end });
      const talk: SocketTalk = { hear: () => ({ contentType: 'audio/mpeg', tell: Buffer.from('so') }) };
      const reply = await call({ transport, url: upstream.url, talk });
      assert.equal([reply.text, reply.error?.kind], ['so', 'reset']);
    }
  } finally {
    await transport.destroy();
    await upstream.close();
  }
});

test('a talk that cannot follow a frame breaks its call and nothing else', async () => {
  const upstream = await startFakeSocketUpstream();
  const transport = open();
  try {
    upstream.script({ frames: [{ a: 1 }], end: 'hang' });
    const talk: SocketTalk = {
      hear() {
        throw new TypeError('lost');
      },
    };
    assert.is((await call({ transport, url: upstream.url, talk })).error?.kind, 'reset');
    await upstream.requests[0]?.closed;
  } finally {
    await transport.destroy();
    await upstream.close();
  }
});

test('frames that the other end does not take are not made', async () => {
  const server = createHttpServer();
  const sockets = new WebSocketServer({ server });
  const count = 64;
  let received = 0;
  let readOn = () => {};
  sockets.on('connection', (socket) => {
    socket.once('message', () => {
      socket.on('message', () => {
        received += 1;
        if (received === count) socket.close();
      });
      socket.send('{}');
      socket.pause();
      readOn = () => socket.resume();
    });
  });
  const port = await portOf(server);
  const transport = open();
  let made = 0;
  let madeBefore = 0;
  let looksAlike = 0;
  const comesToRest = () => {
    looksAlike = made === madeBefore ? looksAlike + 1 : 0;
    madeBefore = made;
    return made > 0 && looksAlike > 15;
  };
  function* frames(): Generator<Buffer> {
    for (; made < count; made += 1) yield Buffer.alloc(1024 * 1024);
  }
  const talk: SocketTalk = { hear: () => ({ say: frames() }) };
  try {
    const replying = call({ transport, url: `http://127.0.0.1:${port}`, talk });
    await until(comesToRest);
    assert.ok(made < count / 2, `${made} frames while nobody read`);
    readOn();
    assert.is((await replying).error?.kind, 'reset');
    assert.is(received, count);
  } finally {
    await transport.destroy();
    for (const socket of sockets.clients) socket.terminate();
    server.close();
  }
});

test.run();
