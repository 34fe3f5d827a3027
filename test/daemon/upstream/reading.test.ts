import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, connect as tlsConnect } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Reading } from '../../../daemon/upstream/reading.ts';

const reading = suite('reading from upstreams');

const certificate = {
  key: readFileSync(new URL('../../fixtures/tls/localhost.key', import.meta.url)),
  cert: readFileSync(new URL('../../fixtures/tls/localhost.crt', import.meta.url)),
};

/** Two sockets read by `options`, and their other ends. */
async function twoSockets(options: Reading['options'], layer: 'tcp' | 'tls') {
  const ends: Socket[] = [];
  const take = (socket: Socket) => ends.push(socket);
  const server = layer === 'tcp' ? createServer(take) : createTlsServer(certificate, take);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const place = { port, host: '127.0.0.1', ...options };
  const sockets = [1, 2].map(() =>
    layer === 'tcp' ? connect(place) : tlsConnect({ ...place, servername: 'localhost', ca: certificate.cert }),
  );
  while (ends.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  return {
    sockets,
    ends,
    close() {
      for (const socket of [...sockets, ...ends]) socket.destroy();
      server.close();
    },
  };
}

async function bytesOf(socket: Socket, length: number): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  let sum = 0;
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk);
    sum += chunk.length;
    if (sum >= length) break;
  }
  return chunks;
}

for (const layer of ['tcp', 'tls'] as const) {
  reading(`gives every ${layer} socket bytes that later reads leave alone, whatever their number`, async () => {
    const world = await twoSockets(new Reading('shared').options, layer);
    try {
      const lengths = [1, 700, 8191, 31_000, 40_000, 65_536, 300_000];
      for (const length of lengths) {
        const kept = world.sockets.map((socket) => bytesOf(socket, length));
        for (const [index, end] of world.ends.entries()) end.write(Buffer.alloc(length, 65 + index));
        const [first, second] = (await Promise.all(kept)).map((chunks) => Buffer.concat(chunks));
        assert.ok(first?.equals(Buffer.alloc(length, 65)), `${length} bytes of the first`);
        assert.ok(second?.equals(Buffer.alloc(length, 66)), `${length} bytes of the second`);
      }
    } finally {
      world.close();
    }
  });
}

reading('reads little at once where many calls are paused, and much again when they have gone on', () => {
  const one = new Reading('shared');
  const sizes: number[] = [];
  const note = () => {
    const buffer = one.options.onread?.buffer;
    sizes.push(typeof buffer === 'function' ? buffer().length : 0);
    assert.is(sizes.at(-1), one.portionBytes);
  };
  note();
  for (let paused = 1; paused <= 1000; paused += 1) {
    one.pause();
    if ([64, 65, 128, 256, 257, 1000].includes(paused)) note();
  }
  for (let paused = 1000; paused > 0; paused -= 1) one.resume();
  note();
  assert.equal(
    sizes.map((bytes) => bytes / 1024),
    [64, 64, 32, 32, 16, 8, 8, 64],
  );
});

reading('leaves reads as they are where each has room of its own, however many calls are paused', () => {
  const own = new Reading('own');
  for (let paused = 1; paused <= 1000; paused += 1) own.pause();
  assert.is(own.options.onread, undefined);
  assert.is(own.portionBytes, 64 * 1024);
});

reading.run();
