/** What the listener makes of connections on the Node that runs; of its timers' minutes a second stands for each. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { serverOptions } from '../../../daemon/http/server-options.ts';
import { serveUpgrades } from '../../../daemon/http/upgrades.ts';
import { until } from '../../support/until.ts';

const test = suite('http/server-options');
const requestTimeout = 1000;

async function withServer(listener: RequestListener, work: (open: () => Socket) => Promise<void>): Promise<void> {
  const quick = { requestTimeout, headersTimeout: requestTimeout, connectionsCheckingInterval: 100 };
  const server = createServer({ ...serverOptions, ...quick }, listener);
  serveUpgrades(server, (_request, socket) => socket.end('a socket'));
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

test('a request that asks for another protocol as well is answered in this one, body and all', async () => {
  const repeat: RequestListener = (request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => response.end(Buffer.concat(pieces)));
  };
  await withServer(repeat, async (open) => {
    const asked = (wish: string) => head(4).replace('Host: x', `Host: x\r\nConnection: Upgrade\r\nUpgrade: ${wish}`);
    const socket = open();
    let said = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      said += text;
    });
    socket.write(`${asked('h2c')}ab`);
    socket.write(`cd${head(4)}efgh`);
    await until(() => said.endsWith('efgh'));
    assert.equal(said.match(/ 200 OK|abcd/g), [' 200 OK', 'abcd', ' 200 OK']);
    socket.write(asked('WebSocket'));
    await until(() => said.endsWith('a socket'));
  });
});

test('a request that asks for another protocol waits for the answers before it, large ones to a slow client too', async () => {
  const large = 'x'.repeat(4 * 1024 * 1024);
  const name: RequestListener = async ({ url = '' }, response) => {
    await sleep(50);
    for (let piece = 0; piece < 4 && url === '/0'; piece += 1) {
      if (!response.write(large)) await once(response, 'drain');
    }
    response.end(`answer to ${url}`);
  };
  await withServer(name, async (open) => {
    const asking = (path: string, wish: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n${wish}\r\n`;
    const wish = (protocol: string) => `Connection: Upgrade\r\nUpgrade: ${protocol}\r\n`;
    const socket = open();
    socket.write(asking('/0', '') + asking('/1', '') + asking('/2', wish('h2c')) + asking('/3', wish('h2c')));
    socket.write(asking('/4', '') + asking('/5', wish('websocket')));
    await sleep(200);
    let said = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      said += text;
    });
    await until(() => said.endsWith('a socket'));
    assert.equal(
      said.match(/answer to ../g),
      ['/0', '/1', '/2', '/3', '/4'].map((path) => `answer to ${path}`),
    );
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
