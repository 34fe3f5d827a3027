/** Ctrl-C while a file is read: one is enough, however long the file and whatever the garbage collector did. */
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exitCodes } from '../../cli/exit-codes.ts';
import { runProgram } from '../support/command-line.ts';
import { PseudoTerminal } from '../support/pseudo-terminal.ts';
import { resolvesWithin } from '../support/until.ts';
import { startWebServer } from '../support/web-server.ts';

const test = suite('cli: interrupted');

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const credential = {
  id: 1,
  username: 'root',
  display_name: '',
  role: 100,
  group: 'default',
  via: 'access_token',
  scopes: null,
  expires_at: 4_000_000_000,
  machine_token: null,
};

/** A server whose files never end; resolves `begun` when one is read, `hungUp` when its reader has gone. */
async function endlessServer() {
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let hangUp: () => void = () => undefined;
  const hungUp = new Promise<void>((resolve) => {
    hangUp = resolve;
  });
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/api/user/credential')) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ success: true, message: '', data: credential }));
      return;
    }
    response
      .setHeader('content-disposition', 'attachment')
      .setHeader('content-type', 'text/csv')
      .write('id\n', () => begin());
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
  return { url: `http://127.0.0.1:${port}`, begun, hungUp, close };
}

test('closes the session that it has opened, though Ctrl-C ended what it was for', async () => {
  const asked: string[] = [];
  const stop = new AbortController();
  const { id, username, display_name, role, group } = credential;
  const server = createServer((request, response) => {
    const call = `${request.method} ${request.url}`;
    asked.push(call);
    if (call === 'PUT /api/user/self') return stop.abort('SIGINT');
    const data = call.includes('/login') ? { id, username, display_name, role, group, status: 1 } : credential;
    response.setHeader('content-type', 'application/json').setHeader('set-cookie', 'session=one');
    response.end(JSON.stringify({ success: true, message: '', data }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-interrupted-'));
  try {
    const { port } = server.address() as AddressInfo;
    for (const name of ['old', 'new']) writeFileSync(join(folder, name), `the ${name} password`);
    const environment = {
      TOLLGATE_CONFIG_DIR: folder,
      TOLLGATE_URL: `http://127.0.0.1:${port}`,
      TOLLGATE_ACCESS_TOKEN: 'x'.repeat(32),
    };
    const files = ['--current-file', join(folder, 'old'), '--new-file', join(folder, 'new')];
    const ended = await runProgram(['account', 'password', ...files], { environment, signal: stop.signal });
    assert.is(ended.code, 130, ended.stderr);
    assert.match(asked.at(-1) ?? '', / \/api\/user\/logout$/, asked.join('\n'));
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

for (const [command, hint] of [
  ['log export', 'go on behind the last whole row: the same with --after'],
  ['audit export', 'what was written is not whole: run it again'],
  ['redemption export', 'what was written is not whole: run it again'],
] as const) {
  test(`ends ${command} at the first Ctrl-C and hangs up, and says what becomes of what has come`, async () => {
    const { url, begun, hungUp, close } = await endlessServer();
    try {
      const stop = new AbortController();
      const environment = {
        TOLLGATE_CONFIG_DIR: '/nonexistent',
        TOLLGATE_URL: url,
        TOLLGATE_ACCESS_TOKEN: 'x'.repeat(32),
      };
      const running = runProgram(command.split(' '), { environment, signal: stop.signal });
      await Promise.race([begun, running]);
      for (let round = 0; round < 5; round += 1) {
        await sleep(60);
        collectGarbage();
      }
      stop.abort('SIGINT');
      const ended = await resolvesWithin(3000, running);
      assert.is(ended.code, 130, ended.stderr);
      assert.match(ended.stdout, /^id\n/);
      assert.match(ended.stderr, `error: the export was cut off (interrupted)\n  try: ${hint}`);
      await hungUp;
    } finally {
      close();
    }
  });
}

test('says of a log export whose time was over how to go on with it', async () => {
  const { url, close } = await endlessServer();
  try {
    const environment = {
      TOLLGATE_CONFIG_DIR: '/nonexistent',
      TOLLGATE_URL: url,
      TOLLGATE_ACCESS_TOKEN: 'x'.repeat(32),
    };
    const ended = await runProgram(['log', 'export', '--timeout', '2s', '-o', 'ndjson'], { environment });
    assert.is(ended.code, exitCodes.waitedTooLong, ended.stderr);
    const { error } = JSON.parse(ended.stderr);
    assert.is(error.message, 'not done within 2s');
    assert.match(error.hint, /^go on behind the last whole row: the same with --after/);
  } finally {
    close();
  }
});

/** Runs a command at a server that takes every write and never answers it; interrupts it there. */
async function interruptedWrite(words: readonly string[]) {
  const stop = new AbortController();
  const {
    url,
    asked,
    stop: close,
  } = await startWebServer(({ method }) => {
    if (method === 'GET') return {};
    setTimeout(() => stop.abort('SIGINT'), 20);
    return new Promise(() => undefined);
  });
  try {
    const environment = {
      TOLLGATE_CONFIG_DIR: '/nonexistent',
      TOLLGATE_URL: url,
      TOLLGATE_ACCESS_TOKEN: 'x'.repeat(32),
    };
    const ended = await runProgram(words, { environment, signal: stop.signal });
    return { ended, key: String(asked.at(-1)?.headers['idempotency-key']) };
  } finally {
    await close();
  }
}

for (const [command, code, hint] of [
  ['log export', exitCodes.partial, 'go on behind the last whole row: the same with --after'],
  ['audit export', exitCodes.unavailable, 'what was written is not whole'],
  ['redemption export', exitCodes.unavailable, 'what was written is not whole'],
] as const) {
  test(`says of ${command} that it was cut where the server is killed in the middle, and keeps the rows that came`, async () => {
    const { url, begun, close } = await endlessServer();
    const environment = {
      TOLLGATE_CONFIG_DIR: '/nonexistent',
      TOLLGATE_URL: url,
      TOLLGATE_ACCESS_TOKEN: 'x'.repeat(32),
    };
    const running = runProgram(command.split(' '), { environment });
    await Promise.race([begun, running]);
    await sleep(100);
    close();
    const ended = await running;
    assert.match(ended.stderr, `error: the export was cut off (export_cut)\n  try: ${hint}`);
    assert.is(ended.code, code);
    assert.match(ended.stdout, /^id\n/);
  });
}

test('puts no log export without its totals into its place, however well it seems to end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-cut-'));
  const server = await startWebServer(({ url }, response) => {
    if (!url.startsWith('/api/log/')) return { success: true, message: '', data: credential };
    response.end('id\r\n1\r\n2\r\n');
    return undefined;
  });
  try {
    const environment = {
      TOLLGATE_CONFIG_DIR: folder,
      TOLLGATE_URL: server.url,
      TOLLGATE_ACCESS_TOKEN: 'x'.repeat(32),
    };
    for (const name of ['l.csv', 'l.csv.gz']) {
      const ended = await runProgram(['log', 'export', '--out', join(folder, name)], { environment });
      assert.is(ended.code, exitCodes.partial, ended.stderr);
      assert.match(ended.stderr, /cut off[\s\S]*no file was written: run it again/);
    }
    assert.equal(readdirSync(folder), []);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
});

test('leaves no file of a log export that was cut, and says to run it again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-cut-'));
  try {
    const { url, begun, close } = await endlessServer();
    const environment = { TOLLGATE_CONFIG_DIR: folder, TOLLGATE_URL: url, TOLLGATE_ACCESS_TOKEN: 'x'.repeat(32) };
    const running = runProgram(['log', 'export', '--out', join(folder, 'l.csv')], { environment });
    await Promise.race([begun, running]);
    close();
    const ended = await running;
    assert.is(ended.code, exitCodes.partial);
    assert.match(ended.stderr, /no file was written: run it again/);
    assert.equal(readdirSync(folder), []);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('says of a write that Ctrl-C cut off how to run it again', async () => {
  const { ended, key } = await interruptedWrite(['token', 'create', '--name', 'a', '--quota', 'unlimited']);
  assert.is(ended.code, 130);
  assert.match(ended.stderr, new RegExp(`not known .*\n  try: run it again with --idempotency-key ${key}\n`));
  const other = await interruptedWrite(['user', 'create', '--username', 'a', '--generate-password', '-o', 'json']);
  assert.is(other.ended.code, 130);
  assert.match(other.key, /^[0-9a-f-]{36}$/, 'every create is safe to repeat');
  assert.is(JSON.parse(other.ended.stderr).error.code, 'interrupted');
});

for (const [words, question] of [
  [['login', '--with-token'], /Token/],
  [['option', 'set', 'RetryTimes', '-'], /type it, and end with Ctrl-D/],
] as const) {
  test(`leaves ${words.join(' ')} at the first Ctrl-C while it waits for what is typed`, async () => {
    const environment = { TOLLGATE_CONFIG_DIR: '/nonexistent', TOLLGATE_URL: 'http://127.0.0.1:1' };
    const terminal = new PseudoTerminal(words, environment, { before: 'stty cols 90 rows 40' });
    try {
      await terminal.until(question);
      terminal.type('half\x03');
      assert.is(await resolvesWithin(5000, terminal.ended()), 130);
    } finally {
      terminal.kill();
    }
  });
}

test.run();
