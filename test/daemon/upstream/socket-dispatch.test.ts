/** Calls over WebSockets through the transport: guarded, timed and told apart like any other call. */
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type CallTimeouts,
  type ReplyReceiver,
  Transport,
  type TransportError,
} from '../../../daemon/upstream/transport.ts';
import { startFakeSocketUpstream } from '../../support/fake-socket-upstream.ts';

const test = suite('socket calls');

const none: CallTimeouts = { headersMs: 0, firstTokenMs: 0, idleMs: 0, totalMs: 0 };

class Collector implements ReplyReceiver {
  status = 0;
  text = '';
  error: TransportError | undefined;
  readonly done: Promise<void>;
  #resolve: () => void = () => {};
  constructor() {
    this.done = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }
  onHead(status: number): void {
    this.status = status;
  }
  onData(chunk: Buffer): void {
    this.text += chunk.toString();
  }
  onEnd(): void {
    this.#resolve();
  }
  onError(error: TransportError): void {
    this.error = error;
    this.#resolve();
  }
}

interface Wanted {
  readonly transport: Transport;
  readonly url: string;
  readonly proxy?: string;
  readonly timeouts?: CallTimeouts;
}

async function call({ transport, url, proxy, timeouts = none }: Wanted): Promise<Collector> {
  const collector = new Collector();
  const destination = { url: url.replace(/^http/, 'ws'), proxy, egress: 'channel', connectMs: 2000 } as const;
  const headers = ['content-type', 'application/json', 'user-agent', 'Tollgate/1'];
  transport.send({ method: 'POST', destination, headers, body: Buffer.from('{"ask":1}'), timeouts }, collector);
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
    const timeouts = { ...none, headersMs: 200, idleMs: 200 };
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

test.run();
