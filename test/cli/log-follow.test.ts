/** `log list --follow` against a whole daemon: by its stream, by asking again, and over a connection that breaks. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { NewLogRow } from '../../daemon/store/logs.ts';
import { type Ended, type Running, runProgram, startProgram } from '../support/command-line.ts';
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

/** Who follows, and by which address. */
interface Follower {
  readonly url?: string;
  readonly token?: string;
}

function environmentOf(world: World, { url = world.daemon.url, token = world.daemon.accessToken }: Follower) {
  return { TOLLGATE_CONFIG_DIR: world.folder, TOLLGATE_URL: url, TOLLGATE_ACCESS_TOKEN: token };
}

function run(world: World, words: string, by: Follower = {}): Promise<Ended> {
  return runProgram(words.split(' '), { environment: environmentOf(world, by) });
}

/** Follows until it is told to stop, as by Ctrl-C; then it has ended with 130. */
function follow(world: World, words: string, by: Follower = {}): Running & { stop(): Promise<Ended> } {
  const interrupt = new AbortController();
  const environment = environmentOf(world, by);
  const running = startProgram(words.split(' '), { environment, signal: interrupt.signal });
  return {
    ...running,
    async stop() {
      interrupt.abort('SIGINT');
      const ended = await running.ended;
      assert.is(ended.code, 130, ended.stderr);
      return ended;
    },
  };
}

/** The rows of a model in the order in which they were printed. */
function contents({ stdout }: Ended): string[] {
  const rows: { content: string }[] = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  return rows.map(({ content }) => content);
}

following('prints the newest rows oldest first, then every new one once', async (world) => {
  const model = { modelName: 'streamed' };
  await write(world, rowOf('s1', model), rowOf('s2', model), rowOf('s3', model));
  const running = follow(world, 'log list -f --model streamed --limit 2 --json');
  await running.shows('"s3"');
  await write(world, rowOf('s4', model), rowOf('other'), rowOf('s5', model));
  await running.shows('"s5"');
  assert.equal(contents(await running.stop()), ['s2', 's3', 's4', 's5']);
});

following('is done when its time is up', async (world) => {
  assert.is((await run(world, 'log list -f --timeout 1s')).code, 0);
});

following('follows on where its time is longer than a timer can count', async (world) => {
  const model = { modelName: 'patient' };
  const running = follow(world, 'log list -f --model patient --timeout 30d --json');
  await write(world, rowOf('p1', model));
  await running.shows('"p1"');
  await write(world, rowOf('p2', model));
  await running.shows('"p2"');
  await running.stop();
});

following('prints own rows to a user, and lines as they come in every form', async (world) => {
  const own = { userId: world.user.id, username: 'ann', modelName: 'mine' };
  await write(world, rowOf('o1', own));
  const running = follow(world, 'log list -f --model mine -o tsv --columns model,note', { token: world.user.token });
  await running.shows('o1\n');
  await write(world, rowOf('o3', { ...own, userId: 1 }), rowOf('o2', own));
  await running.shows('o2\n');
  assert.is((await running.stop()).stdout, 'mine\to1\nmine\to2\n');
});

following('asks every two seconds where the daemon has no stream to give', async (world) => {
  const taken = await EventReader.open((signal) => world.daemon.root.events.follow({}, { signal }));
  const model = { modelName: 'polled' };
  await write(world, rowOf('p1', model));
  const running = follow(world, 'log list -f --model polled -o ndjson');
  for (const [seen, next] of [
    ['p1', 'p2'],
    ['p2', 'p3'],
  ] as const) {
    await running.shows(`"${seen}"`);
    await write(world, rowOf(next, model));
  }
  await running.shows('"p3"');
  assert.equal(contents(await running.stop()), ['p1', 'p2', 'p3']);
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
    const running = follow(world, 'log list -f --model broken -o ndjson', { url: proxy.url });
    await running.shows('"b1"');
    await write(world, rowOf('b2', model));
    await running.shows('"b2"');
    proxy.breakAll();
    await write(world, rowOf('b3', model));
    await running.shows('"b3"');
    await write(world, rowOf('b4', model));
    await running.shows('"b4"');
    const ended = await running.stop();
    assert.equal(contents(ended), ['b1', 'b2', 'b3', 'b4']);
    assert.match(ended.stderr, 'trying again');
  } finally {
    await proxy.close();
  }
});

following('ends with 130 at Ctrl-C, and refuses what cannot be followed', async (world) => {
  await write(world, rowOf('last'));
  const running = follow(world, 'log list -f --columns note');
  await running.shows('last');
  await running.stop();
  for (const words of ['-f --all', '-f --until 1h', '-f --content', '-f -o yaml', '-f --timeout soon']) {
    assert.is((await run(world, `log list ${words}`)).code, 3, words);
  }
});

following.run();
