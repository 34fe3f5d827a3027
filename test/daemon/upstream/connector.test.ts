/** What is said to a proxy before a socket leads through it, octet by octet. */
import { lookup } from 'node:dns';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connectorFor } from '../../../daemon/upstream/connector.ts';
import { Reading } from '../../../daemon/upstream/reading.ts';

const test = suite('tunnels');

interface Tunnel {
  /** What the proxy was sent, turn by turn. */
  readonly asked: readonly Buffer[];
  /** The first bytes behind the tunnel, or why there is none. */
  readonly outcome: string;
}

interface Question {
  readonly proxy: string;
  readonly hostname?: string;
  readonly timeoutMs?: number;
}

/** Opens a tunnel by a proxy that gives one answer a turn; `end` hangs up. */
async function through(
  answers: readonly (Buffer | 'end')[],
  { proxy, hostname = 'host.test', timeoutMs = 5000 }: Question,
): Promise<Tunnel> {
  const asked: Buffer[] = [];
  const sockets: Socket[] = [];
  const server = createServer((client) => {
    sockets.push(client);
    client.on('error', () => undefined);
    client.on('data', (chunk) => {
      const answer = answers[asked.push(chunk) - 1];
      if (answer === 'end') client.end();
      else if (answer !== undefined) client.write(answer);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const url = new URL(proxy);
  url.port = String(typeof address === 'object' ? address?.port : '');
  const connect = connectorFor({ timeoutMs, lookup, reading: new Reading('own').options, proxy: { url, lookup } });
  const outcome = await new Promise<string>((resolve) => {
    connect({ hostname, host: hostname, protocol: 'http:', port: '8080' }, (error, socket) => {
      if (error !== null) return resolve(error.message);
      sockets.push(socket);
      socket.once('data', (chunk: Buffer) => resolve(chunk.toString()));
      socket.resume();
    });
    void sleep(timeoutMs + 10_000, undefined, { ref: false }).then(() => resolve('nothing'));
  });
  for (const socket of sockets) socket.destroy();
  server.close();
  return { asked, outcome };
}

const noSignIn = Buffer.from([5, 0]);
const behind = Buffer.from('early');

test('name an IPv6 address to an HTTP proxy in brackets', async () => {
  const { asked } = await through(['end'], { proxy: 'http://127.0.0.1', hostname: '::1' });
  assert.match(String(asked[0]), /^CONNECT \[::1\]:8080 HTTP\/1\.1\r\nHost: \[::1\]:8080\r\n/);
});

test('name addresses and names to a SOCKS5 proxy each in its own form (RFC 1928, 5)', async () => {
  const request = async (hostname: string) =>
    (await through([noSignIn, 'end'], { proxy: 'socks5://127.0.0.1', hostname })).asked.map((turn) => [...turn]);
  assert.equal(await request('10.1.2.3'), [
    [5, 1, 0],
    [5, 1, 0, 1, 10, 1, 2, 3, 31, 144],
  ]);
  assert.equal(await request('ab.c'), [
    [5, 1, 0],
    [5, 1, 0, 3, 4, ...Buffer.from('ab.c'), 31, 144],
  ]);
});

test('begin right behind the answer of the proxy, whatever it says it is bound to', async () => {
  for (const [kind, place] of [
    [1, Buffer.alloc(4)],
    [3, Buffer.from([4, ...Buffer.from('host')])],
    [4, Buffer.alloc(16)],
  ] as const) {
    const answer = Buffer.concat([Buffer.from([5, 0, 0, kind]), place, Buffer.from([0, 80]), behind]);
    assert.is((await through([noSignIn, answer], { proxy: 'socks5://127.0.0.1' })).outcome, 'early', `${kind}`);
  }
  const answer = Buffer.from('HTTP/1.1 200 OK\r\nVia: x\r\n\r\nearly');
  assert.is((await through([answer], { proxy: 'http://127.0.0.1' })).outcome, 'early');
});

test('fail with what the proxy did', async () => {
  const socks = 'socks5://me:pw@127.0.0.1';
  for (const [answers, proxy, outcome] of [
    [[Buffer.from([5, 255])], socks, 'the proxy refuses every way of signing in'],
    [[Buffer.from([5, 2]), Buffer.from([1, 1])], socks, 'the proxy refused the credentials'],
    [[noSignIn, Buffer.from([5, 5, 0, 1, 0, 0, 0, 0, 0, 0])], socks, 'the proxy answered code 5'],
    [[noSignIn, 'end'], socks, 'the proxy closed the connection'],
    [[Buffer.from('HTTP/1.1 502 Bad Gateway\r\n\r\n')], 'http://127.0.0.1', 'the proxy answered 502'],
    [[Buffer.from(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}`)], 'http://127.0.0.1', 'the proxy answered too much'],
  ] as const) {
    assert.is((await through(answers, { proxy })).outcome, outcome);
  }
});

test('are given up on where the proxy says nothing', async () => {
  for (const proxy of ['http://127.0.0.1', 'socks5://127.0.0.1']) {
    assert.is((await through([], { proxy, timeoutMs: 50 })).outcome, 'the proxy did not answer in time');
  }
});

test.run();
