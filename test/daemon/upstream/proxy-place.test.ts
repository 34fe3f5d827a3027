/** Where the proxy of a channel may be. */
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { suite } from 'uvu';
import type { ResolveCallback } from '../../../daemon/upstream/address-guard.ts';
import { Transport } from '../../../daemon/upstream/transport.ts';
import { noTimeouts, ReplyCollector } from '../../support/reply-collector.ts';

const test = suite('the proxy of a channel');

test('is reached only where a base URL could be: metadata never, private networks as the operator says', async () => {
  let connections = 0;
  const proxy = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
  });
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
  const place = proxy.address();
  if (typeof place !== 'object' || place === null) throw new Error('the proxy is not listening');
  const { port } = place;
  const address = (host: string) => (host === 'meta.test' ? '169.254.169.254' : '127.0.0.1');
  const resolve = (host: string, callback: ResolveCallback) => callback(null, [{ address: address(host), family: 4 }]);
  const kindOf = async (rules: { allow: string[]; channelAllowPrivate: boolean }, proxyUrl: string) => {
    const transport = new Transport({ guard: { ...rules, resolve } });
    const reply = new ReplyCollector();
    const destination = { url: 'http://example.test/', proxy: proxyUrl, egress: 'channel', connectMs: 2000 } as const;
    transport.send({ method: 'POST', destination, headers: [], body: undefined, timeouts: noTimeouts }, reply);
    await reply.done;
    await transport.destroy();
    return reply.error?.kind;
  };
  const strict = { allow: [], channelAllowPrivate: false };
  const usual = { allow: [], channelAllowPrivate: true };
  for (const scheme of ['http', 'https', 'socks5']) {
    for (const host of ['127.0.0.1', 'inside.test', '[::1]', '[::ffff:127.0.0.1]', 'meta.test']) {
      assert.equal(await kindOf(strict, `${scheme}://${host}:${port}`), 'refused-address', `${scheme} ${host}`);
    }
    for (const host of ['169.254.169.254', 'meta.test', 'metadata.google.internal', '[::ffff:a9fe:a9fe]']) {
      assert.equal(await kindOf(usual, `${scheme}://${host}`), 'refused-address', `${scheme} ${host}`);
    }
  }
  assert.equal(connections, 0);
  assert.equal(await kindOf(usual, `http://inside.test:${port}`), 'connect');
  assert.equal(await kindOf({ ...strict, allow: [`inside.test:${port}`] }, `http://inside.test:${port}`), 'connect');
  assert.equal(connections, 2);
  proxy.close();
});

test.run();
