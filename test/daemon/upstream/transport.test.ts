import assert from 'node:assert/strict';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import type { ResolveCallback } from '../../../daemon/upstream/address-guard.ts';
import {
  type CallTimeouts,
  type Destination,
  type OutgoingCall,
  type OutgoingRequest,
  Transport,
} from '../../../daemon/upstream/transport.ts';
import { jsonAnswer, startFakeUpstream } from '../../support/fake-upstream.ts';
import { noTimeouts, ReplyCollector } from '../../support/reply-collector.ts';
import { resolvesWithin, until, untilPasses } from '../../support/until.ts';

function request(url: string, rest: Partial<Destination & { timeouts: CallTimeouts }> = {}): OutgoingRequest {
  const { timeouts = noTimeouts, ...destination } = rest;
  return {
    method: 'POST',
    destination: { url, proxy: undefined, egress: 'channel', connectMs: 2000, ...destination },
    headers: ['content-type', 'application/json'],
    body: Buffer.from('{}'),
    timeouts,
  };
}

function open(): Transport {
  return new Transport({ guard: { allow: [], channelAllowPrivate: true } });
}

async function call(transport: Transport, wanted: OutgoingRequest): Promise<ReplyCollector> {
  const collector = new ReplyCollector();
  transport.send(wanted, collector);
  await collector.done;
  return collector;
}

const test = suite('transport');

test('delivers status, body and end', async () => {
  const upstream = await startFakeUpstream(jsonAnswer({ ok: true }, 201));
  const transport = open();
  const reply = await call(transport, request(`${upstream.url}/v1/x?y=1`));
  assert.equal(reply.status, 201);
  assert.equal(reply.text, '{"ok":true}');
  assert.equal(upstream.requests[0]?.url, '/v1/x?y=1');
  await transport.close();
  await upstream.close();
});

for (const [what, coding, pack] of [
  ['gzip', 'gzip', gzipSync],
  ['deflate', 'deflate', deflateSync],
  ['deflate without the header of zlib', 'deflate', deflateRawSync],
  ['one coding over another', 'gzip, br', (said: string) => brotliCompressSync(gzipSync(said))],
  ['codings beside names of none', 'identity, Deflate ,gzip', (said: string) => gzipSync(deflateSync(said))],
] as const) {
  test(`undoes ${what} on the way`, async () => {
    const said = Array.from({ length: 100_000 }, (_, index) => index).join(' ');
    const packed = pack(said);
    const upstream = await startFakeUpstream({
      headers: { 'content-encoding': coding },
      chunks: [packed.subarray(0, 1), packed.subarray(1)],
    });
    const transport = open();
    assert.equal((await call(transport, request(`${upstream.url}/`))).text, said);
    upstream.script({ headers: { 'content-encoding': coding }, chunks: [packed.subarray(0, 5000)] });
    assert.equal((await call(transport, request(`${upstream.url}/`))).error?.kind, 'undecodable');
    await transport.close();
    await upstream.close();
  });
}

test('reports an encoding it does not know instead of passing garbage on', async () => {
  const upstream = await startFakeUpstream();
  const transport = open();
  for (const coding of ['compress', 'gzip, compress', 'gzip, gzip, gzip, gzip, gzip']) {
    upstream.script({ headers: { 'content-encoding': coding }, chunks: [gzipSync('x')] });
    assert.equal((await call(transport, request(`${upstream.url}/`))).error?.kind, 'undecodable');
  }
  await transport.close();
  await upstream.close();
});

test('tells a refused connection from a reset after the request', async () => {
  const upstream = await startFakeUpstream({ end: 'reset' });
  const transport = open();
  const reset = await call(transport, request(`${upstream.url}/`));
  assert.equal(reset.error?.kind, 'reset');
  assert.equal(reset.error?.requestWritten, true);
  await upstream.close();
  const refused = await call(transport, request(`${upstream.url}/`));
  assert.equal(refused.error?.kind, 'connect');
  assert.equal(refused.error?.requestWritten, false);
  await transport.close();
});

test('refuses an address that the guard forbids', async () => {
  const transport = open();
  const reply = await call(transport, request('http://169.254.169.254/latest/meta-data'));
  assert.equal(reply.error?.kind, 'refused-address');
  const guarded = await call(transport, request('http://127.0.0.1:1/', { egress: 'guarded' }));
  assert.equal(guarded.error?.kind, 'refused-address');
  await transport.close();
});

test('keeps no connection to a host that an answer named', async () => {
  const upstream = await startFakeUpstream({ chunks: ['x'] });
  const transport = new Transport({ guard: { allow: ['127.0.0.0/8'], channelAllowPrivate: true } });
  for (let round = 0; round < 2; round += 1) {
    await call(transport, request(`${upstream.url}/`, { egress: 'guarded' }));
    await until(async () => (await upstream.connections()) === 0);
  }
  await call(transport, request(`${upstream.url}/`, { egress: 'channel' }));
  await sleep(50);
  assert.equal(await upstream.connections(), 1);
  await transport.close();
  await upstream.close();
});

test('ends a call whose headers, first token or bytes do not come in time', async () => {
  const transport = open();
  const silent = await startFakeUpstream({ headersAfterMs: 3000, chunks: ['x'] });
  const headers = await call(transport, request(`${silent.url}/`, { timeouts: { ...noTimeouts, headersMs: 150 } }));
  assert.equal(headers.error?.kind, 'headers-timeout');
  const slow = await startFakeUpstream({ chunks: ['a'], end: 'hang' });
  const token = await call(transport, request(`${slow.url}/`, { timeouts: { ...noTimeouts, firstTokenMs: 150 } }));
  assert.equal(token.error?.kind, 'first-token-timeout');
  const idle = await call(transport, request(`${slow.url}/`, { timeouts: { ...noTimeouts, idleMs: 400 } }));
  assert.equal(idle.error?.kind, 'idle-timeout');
  assert.equal(idle.text, 'a');
  const total = await call(transport, request(`${slow.url}/`, { timeouts: { ...noTimeouts, totalMs: 150 } }));
  assert.equal(total.error?.kind, 'total-timeout');
  await transport.destroy();
  await silent.close();
  await slow.close();
});

test('measures silence from the last byte', async () => {
  const upstream = await startFakeUpstream({ chunks: [...'abcdefghijkl'], pauseMs: 50 });
  const transport = open();
  // Again where the machine itself stood still for as long between two bytes.
  await untilPasses(async () => {
    const reply = await call(transport, request(`${upstream.url}/`, { timeouts: { ...noTimeouts, idleMs: 450 } }));
    assert.equal(reply.text, 'abcdefghijkl');
  });
  await transport.close();
  await upstream.close();
});

test('frees the connection when a paused answer is called off', async () => {
  const upstream = await startFakeUpstream({ chunks: Array.from({ length: 64 }, () => Buffer.alloc(256 * 1024)) });
  const transport = new Transport({ guard: { allow: [], channelAllowPrivate: true }, connectionsPerOrigin: 1 });
  for (let round = 0; round < 3; round += 1) {
    await new Promise<void>((resolve) => {
      const collector = new ReplyCollector();
      const running: OutgoingCall = transport.send(request(`${upstream.url}/`), collector);
      collector.onData = () => {
        running.pause(Infinity);
        setTimeout(() => {
          running.abort();
          resolve();
        }, 20);
      };
    });
  }
  upstream.script(jsonAnswer({ free: true }));
  assert.equal((await call(transport, request(`${upstream.url}/`))).text, '{"free":true}');
  await transport.close();
  await upstream.close();
});

const onOne = (connectionsPerOrigin = 1) =>
  new Transport({ guard: { allow: [], channelAllowPrivate: true }, connectionsPerOrigin });

test('uses the connection again that came free last, and no more than there are calls', async () => {
  const upstream = await startFakeUpstream({ ...jsonAnswer({}), headersAfterMs: 20 });
  const transport = onOne(8);
  await Promise.all([1, 2, 3].map(() => call(transport, request(`${upstream.url}/`))));
  for (let round = 0; round < 5; round += 1) await call(transport, request(`${upstream.url}/`));
  assert.equal(upstream.requests.length, 8);
  assert.equal(await upstream.connections(), 3);
  await transport.close();
  await upstream.close();
});

test('lets calls wait for a connection, in their order, and forgets those that are called off', async () => {
  const upstream = await startFakeUpstream({ ...jsonAnswer({ ok: 1 }), headersAfterMs: 30 });
  const transport = onOne();
  const opened: string[] = [];
  const waiting = ['/1', '/2', '/3', '/4'].map((path) => {
    const collector = new ReplyCollector();
    const open = () => {
      opened.push(path);
      return Readable.from([Buffer.from('{}')]);
    };
    const wanted = { ...request(`${upstream.url}${path}`), body: { length: 2, open } };
    return { collector, running: transport.send(wanted, collector) };
  });
  waiting[1]?.running.abort();
  await Promise.all([0, 2, 3].map((at) => waiting[at]?.collector.done));
  assert.deepEqual(
    upstream.requests.map(({ url }) => url),
    ['/1', '/3', '/4'],
  );
  assert.deepEqual(opened, ['/1', '/3', '/4']);
  assert.equal(await upstream.connections(), 1);
  await transport.close();
  await upstream.close();
});

test('ends a call whose deadline comes while it waits for a connection', async () => {
  const upstream = await startFakeUpstream({ end: 'hang', chunks: [] });
  const transport = onOne();
  const first = transport.send(request(`${upstream.url}/`), new ReplyCollector());
  const reply = await call(transport, request(`${upstream.url}/`, { timeouts: { ...noTimeouts, headersMs: 200 } }));
  assert.equal([reply.error?.kind, reply.error?.requestWritten].join(), 'headers-timeout,false');
  first.abort();
  await transport.close();
  await upstream.close();
});

test('closes when the calls under way and in line are answered, and takes no others', async () => {
  const upstream = await startFakeUpstream({ ...jsonAnswer({ ok: 1 }), headersAfterMs: 30 });
  const transport = onOne();
  const wanted = request(`${upstream.url}/`);
  const answers = [call(transport, wanted), call(transport, wanted)];
  const closing = transport.close();
  assert.equal((await call(transport, wanted)).error?.kind, 'connect');
  assert.deepEqual(
    (await Promise.all(answers)).map(({ text }) => text),
    ['{"ok":1}', '{"ok":1}'],
  );
  await closing;
  await upstream.close();
});

test('tells a node without a file to spare from an upstream that cannot be reached', async () => {
  for (const [code, kind] of [
    ['EMFILE', 'exhausted'],
    ['EHOSTUNREACH', 'connect'],
  ]) {
    const resolve = (_host: string, callback: ResolveCallback) =>
      callback(Object.assign(new Error(`lookup ${code}`), { code }), []);
    const transport = new Transport({ guard: { allow: [], channelAllowPrivate: true, resolve } });
    const { error } = await call(transport, request('http://vendor.test/v1'));
    assert.equal([error?.kind, error?.requestWritten].join(), `${kind},false`);
    await transport.close();
  }
});

test('breaks the calls under way and in line when it is destroyed', async () => {
  const upstream = await startFakeUpstream({ end: 'hang', chunks: ['a'] });
  const transport = onOne();
  const wanted = request(`${upstream.url}/`);
  const answers = [call(transport, wanted), call(transport, wanted)];
  await until(() => upstream.requests.length === 1);
  await transport.destroy();
  assert.deepEqual(
    (await Promise.all(answers)).map(({ error }) => error?.kind),
    ['reset', 'connect'],
  );
  await upstream.close();
});

test('stops the upstream within a second when a call is aborted', async () => {
  const upstream = await startFakeUpstream({ chunks: Array.from({ length: 200 }, () => 'x'), pauseMs: 20 });
  const transport = open();
  const collector = new ReplyCollector();
  const running = transport.send(request(`${upstream.url}/`), collector);
  await until(() => collector.chunks.length > 0);
  running.abort();
  await resolvesWithin(1000, upstream.requests[0]?.aborted);
  await transport.close();
  await upstream.close();
});

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address() as AddressInfo;
      resolve(address.port);
    });
  });
}

test('asks no proxy at an address that nobody may reach', async () => {
  const transport = open();
  const reply = await call(transport, request('http://example.test/', { proxy: 'http://169.254.169.254:3128' }));
  assert.equal(reply.error?.kind, 'refused-address');
  await transport.close();
});

test('goes through an HTTP proxy with credentials, also where there is no limit for connecting', async () => {
  const upstream = await startFakeUpstream(jsonAnswer({ via: 'proxy' }));
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const proxy = createHttpServer();
  proxy.on('connect', (incoming, client: Socket) => {
    seen.push(`${incoming.url} ${incoming.headers['proxy-authorization']}`);
    const [host, port] = (incoming.url ?? '').split(':');
    const far = connect(Number(port), host);
    sockets.add(client).add(far);
    far.on('connect', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      far.pipe(client).pipe(far);
    });
  });
  const port = await listen(proxy);
  const transport = open();
  const through = { proxy: `http://m%40e:se%3Acret@127.0.0.1:${port}` };
  const asked = `${new URL(upstream.url).host} Basic ${Buffer.from('m@e:se:cret').toString('base64')}`;
  for (const limit of [{}, { connectMs: 0 }]) {
    const reply = await call(transport, request(`${upstream.url}/v1/x`, { ...through, ...limit }));
    assert.equal(reply.text, '{"via":"proxy"}');
  }
  assert.deepEqual(seen, [asked, asked]);
  await transport.close();
  for (const socket of sockets) socket.destroy();
  proxy.close();
  await upstream.close();
});

/** A SOCKS5 server that asks for a user name and password. */
function socksServer(seen: string[], sockets: Set<Socket>): Server {
  return createTcpServer((client) => {
    sockets.add(client);
    let stage = 0;
    client.on('data', (chunk) => {
      stage += 1;
      if (stage === 1) client.write(Buffer.from([5, 2]));
      else if (stage === 2) {
        const userLength = chunk[1] ?? 0;
        seen.push(chunk.toString('latin1', 2, 2 + userLength));
        client.write(Buffer.from([1, 0]));
      } else if (stage === 3) {
        const host = chunk[3] === 1 ? chunk.subarray(4, 8).join('.') : chunk.toString('latin1', 5, 5 + (chunk[4] ?? 0));
        const far = connect(chunk.readUInt16BE(chunk.length - 2), host);
        sockets.add(far);
        far.on('connect', () => {
          client.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 80]));
          client.removeAllListeners('data');
          far.pipe(client).pipe(far);
        });
      }
    });
  });
}

test('goes through a SOCKS5 proxy with credentials', async () => {
  const upstream = await startFakeUpstream(jsonAnswer({ via: 'socks' }));
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const proxy = socksServer(seen, sockets);
  const port = await listen(proxy);
  const transport = open();
  const reply = await call(
    transport,
    request(`${upstream.url}/v1/x`, { proxy: `socks5://m%40e:pw@127.0.0.1:${port}` }),
  );
  assert.equal(reply.text, '{"via":"socks"}');
  assert.deepEqual(seen, ['m@e']);
  await transport.close();
  for (const socket of sockets) socket.destroy();
  proxy.close();
  await upstream.close();
});

test('reports a proxy that refuses as a connection failure, though others reach the same place without one', async () => {
  const upstream = await startFakeUpstream(jsonAnswer({}));
  const proxy = createHttpServer();
  proxy.on('connect', (_incoming, client: Socket) => client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'));
  const port = await listen(proxy);
  const transport = open();
  assert.equal((await call(transport, request(upstream.url))).status, 200);
  const reply = await call(transport, request(upstream.url, { proxy: `http://127.0.0.1:${port}` }));
  assert.equal(reply.error?.kind, 'connect');
  await upstream.close();
  await transport.close();
  proxy.close();
});

test.run();
