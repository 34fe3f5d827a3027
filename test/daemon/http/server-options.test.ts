/** What the listener's timers do, and leave alone, on the Node that runs; a second stands for their minutes. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { serverOptions } from '../../../daemon/http/server-options.ts';
import { until } from '../../support/until.ts';

const test = suite('http/server-options');
const requestTimeout = 1000;

async function withServer(listener: RequestListener, work: (open: () => Socket) => Promise<void>): Promise<void> {
  const quick = { requestTimeout, headersTimeout: requestTimeout, connectionsCheckingInterval: 100 };
  const server = createServer({ ...serverOptions, ...quick }, listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  try {
    await work(() => connect(port, '127.0.0.1').on('error', () => undefined));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const head = (length: number) => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;

test('a client that was refused and goes on sending byte by byte is left', async () => {
  const refuse: RequestListener = (request, response) => {
    request.resume();
    response.writeHead(401).end();
  };
  await withServer(refuse, async (open) => {
    const socket = open();
    socket.resume().write(head(60_000));
    const dripping = setInterval(() => socket.write('x'), 50);
    try {
      await until(() => socket.destroyed);
    } finally {
      clearInterval(dripping);
      socket.destroy();
    }
  });
});

test('an answer may take longer than a request, and so may the pause before the next one', async () => {
  const answer: RequestListener = (request, response) => {
    request.resume().on('end', async () => {
      response.write('first');
      await sleep(2.5 * requestTimeout);
      response.end('last');
    });
  };
  await withServer(answer, async (open) => {
    const socket = open();
    let heard = '';
    socket.on('data', (part) => {
      heard += part;
    });
    for (const count of [1, 2]) {
      socket.write(`${head(4)}body`);
      await until(() => heard.split('last').length > count);
      await sleep(1.5 * requestTimeout);
    }
    assert.not.ok(socket.destroyed);
    socket.destroy();
  });
});

test('the limits of bodies come first', () => {
  assert.ok(Number(serverOptions.requestTimeout) > 300_000);
});

test.run();
