/** Ctrl-C while a file is read: one is enough, however long the file and whatever the garbage collector did. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runProgram } from '../support/command-line.ts';

const test = suite('cli: interrupted');

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** A server whose files never end; resolves `hungUp` when the reader of one has gone. */
async function endlessServer() {
  let hangUp: () => void = () => undefined;
  const hungUp = new Promise<void>((resolve) => {
    hangUp = resolve;
  });
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/api/user/self')) {
      response.setHeader('content-type', 'application/json').end('{"success":true,"message":"","data":{"role":100}}');
      return;
    }
    response.setHeader('content-disposition', 'attachment').setHeader('content-type', 'text/csv').write('id\n');
    const timer = setInterval(() => response.write('1\n'), 20);
    response.on('close', () => {
      clearInterval(timer);
      hangUp();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, hungUp, close };
}

for (const command of ['log export', 'audit export', 'redemption export']) {
  test(`ends ${command} at the first Ctrl-C and hangs up`, async () => {
    const { url, hungUp, close } = await endlessServer();
    try {
      const stop = new AbortController();
      const environment = {
        TOLLGATE_CONFIG_DIR: '/nonexistent',
        TOLLGATE_URL: url,
        TOLLGATE_ACCESS_TOKEN: 'x'.repeat(32),
      };
      const running = runProgram(command.split(' '), { environment, signal: stop.signal });
      for (let round = 0; round < 5; round += 1) {
        await sleep(60);
        collectGarbage();
      }
      stop.abort('SIGINT');
      const ended = await Promise.race([running, sleep(3000).then(() => undefined)]);
      assert.is(ended?.code, 130, ended === undefined ? 'it goes on' : ended.stderr);
      assert.match(ended?.stdout ?? '', /^id\n/);
      await hungUp;
    } finally {
      close();
    }
  });
}

test.run();
