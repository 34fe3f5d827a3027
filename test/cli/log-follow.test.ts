/** `log list --follow` against a whole daemon: by its stream, by asking again, and over a connection that breaks. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { NewLogRow } from '../../daemon/store/logs.ts';
import { type Ended, runProgram } from '../support/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { EventReader } from '../support/event-reader.ts';

interface World {
  daemon: TestDaemon;
  folder: string;
  /** A user without an office. */
  user: { id: number; token: string };
}

const following = suite<World>('log list --follow');

following.before(async (world) => {
  world.daemon = await startTestDaemon({ config: { 'limits.event_streams_per_user': 1 } });
  world.folder = mkdtempSync(join(tmpdir(), 'tollgate-follow-'));
  const { id } = await world.daemon.root.users.create({ username: 'ann', password: 'a good password', role: 1 });
  const token = 'a'.repeat(32);
  const { database, keyring, nowSeconds } = world.daemon.daemon.foundation;
  await database.stores.users.setAccessToken(id, keyring.accessTokenHash(token), nowSeconds() + 1000);
  world.user = { id, token };
});
following.after(async ({ daemon, folder }) => {
  await daemon.stop();
  rmSync(folder, { recursive: true, force: true });
});

function rowOf(content: string, fields: Partial<NewLogRow> = {}): NewLogRow {
  return {
    userId: 1,
    createdAt: Math.floor(Date.now() / 1000),
    type: 2,
    content,
    username: 'root',
    tokenName: 'laptop',
    modelName: 'gpt-4o',
    quota: 1,
    promptTokens: 1,
    completionTokens: 1,
    useTime: 1,
    isStream: false,
    channelId: 1,
    tokenId: 1,
    group: 'default',
    other: '{}',
    requestId: content,
    failed: false,
    ip: null,
    ...fields,
  };
}

function write({ daemon }: World, ...rows: NewLogRow[]): Promise<void> {
  return daemon.daemon.foundation.database.transaction((stores) => stores.logs.insert(rows));
}

function run(world: World, words: string, over: { url?: string; token?: string; signal?: AbortSignal } = {}) {
  const { url = world.daemon.url, token = world.daemon.accessToken, signal } = over;
  const environment = { TOLLGATE_CONFIG_DIR: world.folder, TOLLGATE_URL: url, TOLLGATE_ACCESS_TOKEN: token };
  return runProgram(words.split(' '), { environment, ...(signal ? { signal } : {}) });
}

/** The rows of a model in the order in which they were printed. */
function contents({ code, stdout, stderr }: Ended): string[] {
  assert.is(code, 0, stderr);
  const rows: { content: string }[] = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  return rows.map(({ content }) => content);
}

following('prints the newest rows oldest first, then every new one once, until its time is up', async (world) => {
  const model = { modelName: 'streamed' };
  await write(world, rowOf('s1', model), rowOf('s2', model), rowOf('s3', model));
  const running = run(world, 'log list -f --model streamed --limit 2 --json --timeout 4s');
  await sleep(1300);
  await write(world, rowOf('s4', model), rowOf('other'), rowOf('s5', model));
  assert.equal(contents(await running), ['s2', 's3', 's4', 's5']);
});

following('prints own rows to a user, and lines as they come in every form', async (world) => {
  const own = { userId: world.user.id, username: 'ann', modelName: 'mine' };
  await write(world, rowOf('o1', own));
  const running = run(world, 'log list -f --model mine -o tsv --columns model,note --timeout 3s', {
    token: world.user.token,
  });
  await sleep(1300);
  await write(world, rowOf('o2', own), rowOf('o3', { ...own, userId: 1 }));
  const { code, stdout } = await running;
  assert.equal([code, stdout], [0, 'mine\to1\nmine\to2\n']);
});

following('asks every two seconds where the daemon has no stream to give', async (world) => {
  const taken = await EventReader.open((signal) => world.daemon.root.events.follow({}, { signal }));
  const model = { modelName: 'polled' };
  await write(world, rowOf('p1', model));
  const running = run(world, 'log list -f --model polled -o ndjson --timeout 5s');
  await sleep(1000);
  await write(world, rowOf('p2', model));
  await sleep(2000);
  await write(world, rowOf('p3', model));
  assert.equal(contents(await running), ['p1', 'p2', 'p3']);
  taken.hangUp();
});

/** Passes bytes on to the daemon and breaks all connections when told so. */
async function startProxy(target: string) {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(new URL(target).port), '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: AddressInfo | string | null = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    breakAll() {
      for (const socket of sockets) socket.destroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

following('goes on behind a broken connection without a gap and without a double', async (world) => {
  const proxy = await startProxy(world.daemon.url);
  try {
    const model = { modelName: 'broken' };
    await write(world, rowOf('b1', model));
    const running = run(world, 'log list -f --model broken -o ndjson --timeout 8s', { url: proxy.url });
    await sleep(1000);
    await write(world, rowOf('b2', model));
    await sleep(1300);
    proxy.breakAll();
    await write(world, rowOf('b3', model));
    await sleep(3700);
    await write(world, rowOf('b4', model));
    const ended = await running;
    assert.equal(contents(ended), ['b1', 'b2', 'b3', 'b4']);
    assert.match(ended.stderr, 'trying again');
  } finally {
    await proxy.close();
  }
});

following('ends with 130 at Ctrl-C, and refuses what cannot be followed', async (world) => {
  const interrupt = new AbortController();
  const running = run(world, 'log list -f', { signal: interrupt.signal });
  await sleep(600);
  interrupt.abort('SIGINT');
  assert.is((await running).code, 130);
  for (const words of ['-f --all', '-f --until 1h', '-f --content', '-f -o yaml', '-f --timeout soon']) {
    assert.is((await run(world, `log list ${words}`)).code, 3, words);
  }
});

following.run();
