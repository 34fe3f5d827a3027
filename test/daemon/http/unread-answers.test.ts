import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { setTimeout as sleep, setImmediate as turnOfLoop } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { limitUnreadAnswers } from '../../../daemon/http/unread-answers.ts';
import { until, within } from '../../support/until.ts';

const test = suite<{ server: Server; port: number }>('http: unread answers');
/** Long beside the pauses of whoever reads, which last longer on a busy machine. */
const LIMIT_MS = 3000;
/** More than two ends of a connection keep for a program that does not read. */
const large = Buffer.alloc(32 * 1024 * 1024);

test.before.each(async (context) => {
  context.server = createServer((_, response) => response.end(large));
  limitUnreadAnswers(context.server, LIMIT_MS);
  context.server.listen(0, '127.0.0.1');
  await once(context.server, 'listening');
  const address = context.server.address();
  context.port = typeof address === 'object' ? (address?.port ?? 0) : 0;
});
test.after.each(({ server }) => {
  server.closeAllConnections();
  server.close();
});

async function asked(port: number) {
  const socket = connect(port, '127.0.0.1').pause();
  await once(socket, 'connect');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  return socket;
}

test('go, with their connection, when their client takes nothing of them', async ({ server, port }) => {
  let open = 0;
  server.on('connection', (socket) => {
    open += 1;
    socket.on('close', () => (open -= 1));
  });
  const socket = await asked(port);
  await until(() => open === 1);
  await within(20_000, () => open === 0);
  socket.destroy();
});

test('that are made as they are read go as well, and what makes them is told', async ({ server, port }) => {
  let made = 0;
  let over = false;
  async function* parts() {
    try {
      for (;;) {
        made += 1;
        yield 'a row of a file '.repeat(300);
        await turnOfLoop();
      }
    } finally {
      over = true;
    }
  }
  server.removeAllListeners('request').on('request', (_, response: ServerResponse) => {
    // As Koa sends them.
    pipeline(Readable.from(parts(), { objectMode: false }), response, () => undefined);
  });
  limitUnreadAnswers(server, LIMIT_MS);
  const socket = await asked(port);
  await within(30_000, () => over);
  // No more than the two ends of the connection keep.
  assert.ok(made < 8000, `${made} parts were made`);
  socket.destroy();
});

test('that are slow in the making are waited for', async ({ server, port }) => {
  async function* parts() {
    yield large;
    await sleep(LIMIT_MS * 1.5);
    yield 'the end';
  }
  server.removeAllListeners('request').on('request', (_, response: ServerResponse) => {
    pipeline(Readable.from(parts(), { objectMode: false }), response, () => undefined);
  });
  limitUnreadAnswers(server, LIMIT_MS);
  const socket = await asked(port);
  let tail = '';
  socket.on('data', (part: Buffer) => (tail = (tail + part.subarray(-64).toString('latin1')).slice(-64)));
  socket.resume();
  await within(20_000, () => tail.includes('the end'));
  socket.destroy();
});

test('are given in full to who takes a little now and then, and the connection goes on', async ({ port }) => {
  const socket = await asked(port);
  let read = 0;
  socket.on('data', (part: Buffer) => (read += part.length));
  for (let takes = 1; takes < 5; takes += 1) {
    socket.resume();
    await until(() => read >= (takes * large.length) / 5);
    socket.pause();
    await sleep(LIMIT_MS / 3);
  }
  socket.resume();
  await until(() => read > large.length);
  const before = read;
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await until(() => read > before + large.length);
  assert.is(socket.destroyed, false);
  socket.destroy();
});

test.run();
