/** Commands that make something, run again: with the same key they take effect once, whatever got lost on the way. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CommandText, commandPath } from '../../cli/command.ts';
import { localCommandsThat } from '../../cli/local-commands.ts';
import { buildProgram } from '../../cli/program.ts';
import { keyedCalls } from '../../cli/write-calls.ts';
import { builtProgram, runProgram, wordsOf } from '../support/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { startWebServer } from '../support/web-server.ts';

const repeating = suite('commands that are run again');

let daemon: TestDaemon;
let folder: string;

repeating.before(async () => {
  daemon = await startTestDaemon();
  folder = mkdtempSync(join(tmpdir(), 'tollgate-repeating-'));
});
repeating.after(async () => {
  await daemon.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (line: string, { url = daemon.url, input = '' } = {}) =>
  runProgram(wordsOf(line), {
    environment: { TOLLGATE_CONFIG_DIR: folder, TOLLGATE_URL: url, TOLLGATE_ACCESS_TOKEN: daemon.accessToken },
    input,
  });

const channelCount = async () => (await daemon.root.channels.list({})).total;
const balanceOf = async (id: number) => (await daemon.root.users.get({ id })).quota;

/**
 * Stands before the daemon and loses answers to writes, after the daemon has given them: the first, or all but it.
 *
 * @param inPlace status of what is answered in place of a lost one; without it the connection breaks
 */
async function lossyRoad(loses: 'the first' | 'all but the first' = 'the first', inPlace?: number) {
  let writes = 0;
  const keys: string[] = [];
  const road = await startWebServer(async ({ method, url, headers, body }, response) => {
    const answer = await fetch(daemon.url + url, {
      method,
      headers: Object.fromEntries(
        ['authorization', 'content-type', 'idempotency-key'].flatMap((name) => {
          const value = headers[name];
          return typeof value === 'string' ? [[name, value]] : [];
        }),
      ),
      ...(method === 'GET' ? {} : { body }),
    });
    const text = await answer.text();
    if (method !== 'GET') {
      keys.push(String(headers['idempotency-key']));
      writes += 1;
      if ((writes === 1) === (loses === 'the first')) {
        if (inPlace === undefined) return void response.destroy();
        response.writeHead(inPlace, { 'content-type': 'text/html' }).end('<html>lost</html>');
        return;
      }
    }
    response.statusCode = answer.status;
    response.setHeader('content-type', answer.headers.get('content-type') ?? '').end(text);
  });
  return { ...road, keys };
}

repeating('do once what a lost answer makes them send twice, under the same key', async () => {
  const id = await daemon.addChannel({ base_url: 'http://127.0.0.1:9', models: 'm' });
  const { id: user } = await daemon.root.users.create({ username: 'lossy', password: 'a good password' });
  const before = await channelCount();
  for (const [line, check] of [
    [`channel copy ${id} --suffix -lost`, async () => assert.is(await channelCount(), before + 1)],
    [`channel key add ${id} --key -`, async () => assert.is((await daemon.root.channels.keys({ id })).length, 2)],
    [`user quota add ${user} 3000 --yes`, async () => assert.is(await balanceOf(user), 3000)],
    [`user quota subtract ${user} 1000 --yes`, async () => assert.is(await balanceOf(user), 2000)],
  ] as const) {
    const road = await lossyRoad();
    try {
      const ended = await run(line, { url: road.url, input: 'sk-second-key\n' });
      assert.is(ended.code, 0, `${line}: ${ended.stderr}`);
      assert.is(road.keys.length, 2, line);
      assert.match(road.keys[0] ?? '', /^[0-9a-f-]{36}/);
      assert.is(road.keys[1], road.keys[0], line);
      await check();
    } finally {
      await road.stop();
    }
  }
});

repeating(
  'of several things say which calls broke off, and the key that makes them again without doing them twice',
  async () => {
    const made = ['lost-one', 'lost-two', 'lost-three'].map((username) =>
      daemon.root.users.create({ username, password: 'a good password' }),
    );
    const ids = (await Promise.all(made)).map(({ id }) => id);
    const balances = () => Promise.all(ids.map(balanceOf));
    for (const [inPlace, reason, paid] of [
      [undefined, 'UND_ERR_SOCKET', 3000],
      [502, 'HTTP 502', 6000],
    ] as const) {
      const road = await lossyRoad('all but the first', inPlace);
      try {
        const line = `user quota add ${ids.join(' ')} 3000 --yes --concurrency 1`;
        const ended = await run(line, { url: road.url });
        assert.is(ended.code, 11, ended.stderr);
        assert.match(ended.stderr, `2 of 3 failed: ${ids[1]}: the call was sent and broke off (${reason}); whether`);
        const [, key] = /try: run it again with --idempotency-key (\S+)$/m.exec(ended.stderr) ?? [];
        assert.equal(await balances(), [paid, paid, paid]);
        const again = await run(`${line} --idempotency-key ${key}`);
        assert.is(again.code, 0, again.stderr);
        assert.equal(await balances(), [paid, paid, paid], 'nobody is paid twice');
        const told = await run(`${line} --json --idempotency-key ${key}`, { url: road.url });
        assert.match(JSON.parse(told.stdout).at(-1).error.hint, `--idempotency-key ${key}`);
      } finally {
        await road.stop();
      }
    }
  },
);

repeating(
  'of one thing say the key when something before the server answers in its place, or the server fails',
  async () => {
    const { id } = await daemon.root.users.create({ username: 'between', password: 'a good password' });
    const road = await lossyRoad('all but the first', 504);
    const status = await (await fetch(`${daemon.url}/api/status`)).json();
    const failing = await startWebServer(({ method, url }, response) => {
      if (method === 'GET' && url.startsWith('/api/status')) return status;
      response.statusCode = 503;
      return { success: false, message: 'no database', code: 'db_unavailable' };
    });
    try {
      await run(`user quota add ${id} 1000 --yes`, { url: road.url });
      const ended = await run(`user quota add ${id} 1000 --yes --idempotency-key k-504`, { url: road.url });
      assert.is(ended.code, 10);
      assert.match(ended.stderr, /broke off \(HTTP 504\); whether it took effect is not known \(invalid_answer\)/);
      assert.match(ended.stderr, /try: run it again with --idempotency-key k-504$/m);
      const line = 'redemption create --name down --quota 2000 --idempotency-key k-503';
      const refused = await run(line, { url: failing.url });
      assert.is(refused.code, 10);
      assert.match(
        refused.stderr,
        /db_unavailable[\s\S]*try: tollgate status; run it again with --idempotency-key k-503$/m,
      );
    } finally {
      await Promise.all([road.stop(), failing.stop()]);
    }
  },
);

repeating('answer the same for the same key, and end with 7 for another content', async () => {
  const id = await daemon.addChannel({ base_url: 'http://127.0.0.1:9', models: 'm' });
  const { id: user } = await daemon.root.users.create({ username: 'keyed', password: 'a good password' });
  const { id: other } = await daemon.root.users.create({ username: 'other', password: 'a good password' });
  const before = await channelCount();
  for (const [line, changed] of [
    [`channel copy ${id} --suffix -kept -q`, `channel copy ${id} --suffix -other -q`],
    [`channel key add ${id} --key sk-one -q`, `channel key add ${id} --key sk-two -q`],
    [`user quota add ${user} ${other} 3000 --yes`, `user quota add ${other} 5000 --yes`],
    ['token create --name once --quota unlimited -q', 'token create --name twice --quota unlimited -q'],
    ['redemption create --name once --quota 2000 --count 3 -q', 'redemption create --name once --quota 2001 -q'],
  ] as const) {
    const first = await run(`${line} --idempotency-key k-1`);
    assert.is(first.code, 0, `${line}: ${first.stderr}`);
    const again = await run(`${line} --idempotency-key k-1`);
    assert.equal([again.code, again.stdout], [0, first.stdout], `${line}: ${again.stderr}`);
    const conflict = await run(`${changed} --idempotency-key k-1`);
    assert.is(conflict.code, 7, `${changed}: ${conflict.stderr}`);
    assert.match(conflict.stderr, /idempotency_conflict/);
  }
  assert.is(await channelCount(), before + 1);
  assert.equal([await balanceOf(user), await balanceOf(other)], [3000, 3000]);
  // Another order of the same things is the same work.
  assert.is((await run(`user quota add ${other} ${user} 3000 --yes --idempotency-key k-1`)).code, 0);
  assert.equal([await balanceOf(user), await balanceOf(other)], [3000, 3000]);
  assert.is((await run(`user quota add ${user} 3000 --yes`)).code, 0);
  assert.is(await balanceOf(user), 6000, 'without a key of its own every run counts');
});

repeating('are refused with a key that is empty or that no header can carry, before anything is called', async () => {
  const line = ['token', 'create', '--name', 'unkeyed', '--quota', 'unlimited', '--idempotency-key'];
  for (const [key, message] of [
    ['', /--idempotency-key is empty/],
    [' ', /--idempotency-key is empty/],
    ['促销-1', /--idempotency-key takes letters, digits and signs of ASCII/],
    ['jobé', /ASCII/],
    ['job\n1', /ASCII/],
    [' job', /no space at either end/],
  ] as const) {
    const refused = await runProgram([...line, key], {
      environment: { TOLLGATE_CONFIG_DIR: folder, TOLLGATE_URL: daemon.url, TOLLGATE_ACCESS_TOKEN: daemon.accessToken },
    });
    assert.is(refused.code, 3, `${JSON.stringify(key)}: ${refused.stderr}`);
    assert.match(refused.stderr, message);
  }
  assert.is((await run('token list --search unkeyed -q')).stdout, '');
});

repeating('say by which key a result is had again that found no room on a disk', async () => {
  const line = 'redemption create --name no-room --quota 2000 --count 3';
  const made = () => daemon.root.redemptions.countByName({ name: 'no-room' });
  const toFile = await run(`${line} --out /dev/full --force`);
  assert.is(toFile.code, 12);
  const [, key] = /ENOSPC[\s\S]*--idempotency-key (\S+);/.exec(toFile.stderr) ?? [];
  const again = await run(`${line} --idempotency-key ${key}`);
  assert.equal([again.code, again.stdout.split('\n').length, await made()], [0, 4, 3], toFile.stderr);

  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, [builtProgram, ...wordsOf(`${line} -q`)], {
    stdio: ['ignore', full, 'pipe'],
    env: { TOLLGATE_CONFIG_DIR: folder, TOLLGATE_URL: daemon.url, TOLLGATE_ACCESS_TOKEN: daemon.accessToken },
  });
  let stderr = '';
  child.stderr?.on('data', (text) => {
    stderr += text;
  });
  const [status] = await once(child, 'close');
  assert.is(status, 12, stderr);
  const [, other] = /ENOSPC[\s\S]*--idempotency-key (\S+);/.exec(stderr) ?? [];
  assert.is((await run(`${line} --idempotency-key ${other}`)).stdout.split('\n').length, 4, stderr);
  assert.is(await made(), 6);

  const before = await run('redemption list --out /dev/full --force');
  assert.equal([before.code, before.stderr.includes('--idempotency-key')], [12, false], 'nothing was made');
});

repeating('ask again by path what can be asked again, when the server says so, and say what it said last', async () => {
  const times: number[] = [];
  let down = 2;
  const site = await startWebServer(({ method, url }, response) => {
    times.push(performance.now());
    if (url === '/api/down') {
      response.statusCode = 502;
      response.setHeader('content-type', 'text/html').end('<html>bad gateway</html>');
      return;
    }
    if (down === 0) return { success: true, message: '', data: { method } };
    down -= 1;
    if (down === 0) {
      response.destroy();
      return;
    }
    response.statusCode = 503;
    response.setHeader('Retry-After', '1');
    return { success: false, message: 'starting', code: 'db_unavailable' };
  });
  const call = (line: string) => run(`api ${line}`, { url: site.url });
  try {
    const read = await call('GET /api/thing --jq .method');
    assert.equal([read.code, read.stdout, times.length], [0, 'GET\n', 3], read.stderr);
    const [first = 0, second = 0] = times;
    assert.ok(second - first >= 990, 'it waits as long as the server asks');
    down = 1;
    times.length = 0;
    const written = await call('POST /api/thing -f a=1');
    assert.equal([written.code, times.length], [10, 1], written.stderr);
    const page = await call('GET /api/down');
    assert.equal([page.code, times.length], [10, 4], page.stderr);
    assert.match(page.stderr, /bad gateway.* \(http_502\)\n {2}HTTP 502\n/);
    const raw = await call('GET /api/down --raw');
    assert.equal([raw.code, raw.stdout], [10, '<html>bad gateway</html>\n']);
  } finally {
    await site.stop();
  }
});

repeating('take a key wherever the server does', () => {
  const stream = new PassThrough();
  const elsewhere = () => Promise.reject(new Error('no command is run here'));
  const declared: [Command, CommandText][] = [];
  buildProgram({
    environment: {},
    host: { stdin: stream, stdout: stream, stderr: stream },
    signal: new AbortController().signal,
    local: localCommandsThat(elsewhere),
    language: 'en',
    onCommand: (command, text) => declared.push([command, text]),
  });
  const needing = declared.filter(
    ([, { calls = [], callsAny, isScreen }]) =>
      isScreen !== true && (callsAny || calls.some((name) => keyedCalls.has(name))),
  );
  const taking = declared.filter(([command]) => command.options.some(({ long }) => long === '--idempotency-key'));
  const names = (commands: typeof declared) => commands.map(([command]) => commandPath(command));
  assert.equal(names(taking), names(needing));
  assert.ok(
    ['channel copy', 'channel key add', 'user quota set', 'wallet redeem'].every((path) =>
      names(taking).includes(path),
    ),
  );
});

repeating('users of a file have a key each, which is theirs in whatever line they stand', async () => {
  const create = async (rows: string) => {
    const line = 'user create --from - --idempotency-key of-this-term -o json';
    const ended = await run(line, { input: `username,password\n${rows}` });
    const made: { username: string; id: number | null; error: string | null }[] = JSON.parse(ended.stdout);
    return { code: ended.code, made };
  };
  const first = await create('term-one,a good password\nterm-two,short\n');
  assert.equal([first.code, first.made.map(({ id }) => id !== null)], [11, [true, false]]);
  const second = await create('term-two,a good password\nterm-one,a good password\n');
  assert.is(second.code, 0, JSON.stringify(second.made));
  assert.is(second.made[1]?.id, first.made[0]?.id);
});

repeating('of users that an earlier run has made it is said that it alone could tell their passwords', async () => {
  const line = 'user create --from - --idempotency-key once-only -o json';
  const made = await run(line, { input: 'username\nonce-one\n' });
  assert.is(JSON.parse(made.stdout)[0].password.length, 20);
  const again = await run(line, { input: 'username\nonce-one\n' });
  const [{ password, error }] = JSON.parse(again.stdout);
  assert.is(password, null);
  assert.match(error, /^an earlier run with this --idempotency-key has created it/);
});

repeating('codes that hold for a span are asked for again by the instant that the first run told', async () => {
  const line = 'redemption create --name span --count 2 --quota 1usd --idempotency-key in-a-week --valid-until';
  const first = await run(`${line} 7d`);
  const [, until = ''] = /--valid-until: (\S+)/.exec(first.stderr) ?? [];
  const later = await run(`${line} 8d`);
  assert.is(later.code, 7, later.stderr);
  assert.match(later.stderr, /for a time like 7d the instant that run told; another key makes one more/);
  const again = await run(`${line} ${until}`);
  assert.equal([again.code, again.stdout], [0, first.stdout], again.stderr);
});

repeating.run();
