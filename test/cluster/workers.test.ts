/**
 * Several processes behind one address, as the built program runs them on PostgreSQL.
 * Runs once: it brings PostgreSQL with it, and Redis where it wants one.
 */
import type { ChildProcess } from 'node:child_process';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, fetch, type Response } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { adoptJournals, servingPlace } from '../../daemon/composition/workers.ts';
import { loadConfig } from '../../daemon/config/load.ts';
import { type Client, createClient } from '../../daemon/contract/client.ts';
import { LedgerJournal } from '../../daemon/domain/ledger-journal.ts';
import { startBuilt } from '../support/command-line.ts';
import { rootPassword } from '../support/daemon.ts';
import { testEngines } from '../support/engines.ts';
import { type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { createWorkspace, type Workspace } from '../support/workspace.ts';

interface World {
  workspace: Workspace;
  databaseUrl: string;
  upstream: FakeUpstream;
  program: ChildProcess;
  url: string;
  root: Client;
  userId: number;
  key: string;
  lines: string[];
  ended: Promise<number | null>;
  drop(): Promise<void>;
}

const usage = { prompt_tokens: 100, completion_tokens: 100, total_tokens: 200 };
const chunk = (delta: object, finish: string | null, rest: object = {}) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...rest,
});

const workers = suite<World>('workers behind one address');

workers.before(async (world) => {
  const place = await testEngines.postgres.migrated();
  world.drop = place.drop;
  world.workspace = createWorkspace();
  world.upstream = await startFakeUpstream(({ body }) =>
    body.includes('"stream":true')
      ? sseAnswer([chunk({ content: 'slow ' }, null), chunk({ content: 'words' }, 'stop', { usage }), '[DONE]'], {
          headers: { 'content-type': 'text/event-stream' },
          pauseMs: body.includes('long') ? 10_000 : 700,
        })
      : jsonAnswer({
          id: 'c',
          object: 'chat.completion',
          created: 1,
          model: 'm',
          choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
          usage,
        }),
  );
  world.databaseUrl = place.url;
  await start(world);
  world.url = world.lines.find((line) => line.startsWith('listening on '))?.slice(13) ?? '';
  await signIn(world);
});

async function start(world: World): Promise<void> {
  world.lines = [];
  world.program = startBuilt(['serve'], {
    TOLLGATE_LISTEN: world.url === undefined ? '127.0.0.1:0' : new URL(world.url).host,
    TOLLGATE_DATA_DIR: world.workspace.path('data'),
    TOLLGATE_DATABASE_URL: world.databaseUrl,
    TOLLGATE_WORKERS: '2',
    TOLLGATE_EGRESS_ALLOW: '127.0.0.0/8',
    GLOBAL_API_RATE_LIMIT_ENABLE: 'false',
  });
  world.program.stderr?.on('data', (text: Buffer) => world.lines.push(...String(text).split('\n')));
  world.ended = new Promise((resolve) => world.program.on('close', resolve));
  await until(() => world.lines.includes('workers: 2 share this address'));
}

async function killOne(world: World): Promise<number> {
  const killed = childrenOf(world.program).at(-1) ?? 0;
  process.kill(killed, 'SIGKILL');
  await until(() => world.lines.some((line) => /^worker \d ended; it is started again in 1 s$/.test(line)));
  return killed;
}

/** Resolves when a worker runs in the place of the one that was killed; it may still be on its way up. */
function replaced(world: World, killed: number): Promise<void> {
  return until(() => {
    const children = childrenOf(world.program);
    return children.length === 2 && !children.includes(killed);
  });
}

workers.after(async (world) => {
  world.program.kill('SIGKILL');
  await world.ended;
  await world.upstream.close();
  await world.drop();
  world.workspace.remove();
});

async function signIn(world: World): Promise<void> {
  let cookie: string | undefined;
  let token: string | undefined;
  world.root = createClient({
    baseUrl: world.url,
    retries: 0,
    credentials: () => ({ cookie, userId: world.userId, accessToken: token }),
    onResponse: (response) => {
      cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    },
  });
  const { root } = world;
  await root.setup.submit({ username: 'root', password: rootPassword, confirmPassword: rootPassword });
  world.userId = (await root.account.login({ username: 'root', password: rootPassword })).id;
  token = await root.account.issueToken();
  cookie = undefined;
  await root.channels.create({ type: 1, key: 'k', name: 'up', base_url: world.upstream.url, models: 'gpt-4o-mini' });
  const created = await root.tokens.create({ name: 'test', expired_time: -1, unlimited_quota: true });
  world.key = `sk-${created.key}`;
  // Changes reach the other worker within two seconds (REQ-17); new connections take turns.
  await until(async () => (await knowsModel(world)) && (await knowsModel(world)));
}

/** Whether the worker whose turn it is has heard of the channel. */
async function knowsModel(world: World): Promise<boolean> {
  const models = await (await newlyConnected(world, 'models')).text();
  return models.includes('gpt-4o-mini');
}

/** Whether the worker whose turn it is takes no more calls; one that does would miss a body. */
async function stops(world: World): Promise<boolean> {
  return (await newlyConnected(world, 'chat/completions', { method: 'POST' })).status === 503;
}

function call(world: World, fields: object = {}): Promise<Response> {
  return newlyConnected(world, 'chat/completions', {
    method: 'POST',
    body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }], ...fields }),
  });
}

/** Without pipelining no connection is kept: one of a worker that ends may be closed in the moment of its reuse. */
const connections = new Agent({ pipelining: 0 });

/** A call on a connection of its own, which goes to whichever worker has its turn. */
function newlyConnected(
  { url, key }: World,
  path: string,
  what: { method?: 'POST'; body?: string } = {},
): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return fetch(`${url}/v1/${path}`, { ...what, headers, dispatcher: connections });
}

function childrenOf({ pid = 0 }: ChildProcess): number[] {
  return execFileSync('ps', ['--ppid', String(pid), '-o', 'pid='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(Number);
}

async function until(holds: () => boolean | Promise<boolean>, ms = 60_000): Promise<void> {
  for (const began = Date.now(); !(await holds()); ) {
    if (Date.now() - began > ms) throw new Error('it did not come about in time');
    await sleep(50);
  }
}

workers('are nodes of their own that book every call once, exactly', async (world) => {
  const { root } = world;
  assert.is((await root.system.nodes({})).items.filter(({ alive }) => alive).length, 2);
  const before = await root.account.get();
  const answers = await Promise.all(Array.from({ length: 30 }, () => call(world)));
  assert.equal(
    answers.map(({ status }) => status),
    answers.map(() => 200),
  );
  await until(async () => (await root.logs.list({ type: 2 })).total === 30);
  const { items } = await root.logs.list({ type: 2, page_size: 100 });
  const charged = items.reduce((sum, { quota }) => sum + quota, 0);
  assert.ok(charged > 0);
  await until(async () => (await root.account.get()).quota === before.quota - charged);
});

workers('are started again when they die, while the others answer', async (world) => {
  const killed = await killOne(world);
  assert.is((await call(world)).status, 200);
  await replaced(world, killed);
});

workers('end together, after the streams that run', async (world) => {
  const streams = await Promise.all(Array.from({ length: 4 }, () => call(world, { stream: true })));
  world.program.kill('SIGTERM');
  for (const stream of streams) assert.match(await stream.text(), /words[\s\S]*\[DONE\]/);
  assert.is(await world.ended, 0);
  assert.ok(world.lines.includes('stopped'));
});

workers('end also while one of them is on its way up', async (world) => {
  await start(world);
  await replaced(world, await killOne(world));
  world.program.kill('SIGTERM');
  assert.is(await world.ended, 0);
});

/** Both streams were told of the end in their own protocol, and cost something. */
async function endedAndBilled({ root }: World, { streams, before }: { streams: readonly Response[]; before: number }) {
  for (const stream of streams) assert.match(await stream.text(), /slow [\s\S]*shutting_down/);
  const { total, items } = await root.logs.list({ type: 2 });
  assert.is(total, before + 2);
  for (const { quota } of items.slice(0, 2)) assert.ok(quota > 0);
}

workers(
  'bill what they serve and end when the process that started them is killed; a new start waits for them',
  async (world) => {
    await start(world);
    const { root } = world;
    const before = (await root.logs.list({ type: 2 })).total;
    const streams = await Promise.all([call(world, { stream: true }), call(world, { stream: true })]);
    world.program.kill('SIGKILL');
    await start(world);
    await endedAndBilled(world, { streams, before });
  },
);

workers(
  'bill what they serve also when they end already while the process that started them is killed',
  async (world) => {
    const { root } = world;
    const before = (await root.logs.list({ type: 2 })).total;
    const streams = await Promise.all([
      call(world, { stream: true, stop: 'long' }),
      call(world, { stream: true, stop: 'long' }),
    ]);
    world.program.kill('SIGTERM');
    await until(async () => (await stops(world)) && (await stops(world)));
    world.program.kill('SIGKILL');
    await start(world);
    await endedAndBilled(world, { streams, before });
  },
);

workers.run();

const places = suite('the places of workers');

const configOf = (folder: string, count: number) =>
  loadConfig({
    env: {},
    overrides: {
      data_dir: folder,
      'database.url': 'postgres://localhost/x',
      'server.workers': count,
      'metrics.listen': '127.0.0.1:9400',
      'node.id': 'north',
    },
  });

places('have names, folders and ports of metrics of their own', () => {
  const config = configOf('/data', 3);
  const { config: third, folder } = servingPlace(config, 3);
  assert.is(third.node.id, 'north-3');
  assert.equal(third.metrics.listen, { host: '127.0.0.1', port: 9402 });
  assert.is(folder, '/data/workers/3');
  assert.equal(servingPlace(config, undefined), { config, folder: '/data' });
});

for (const [count, number, adopted] of [
  [1, undefined, ['1', '2', '3']],
  [2, 1, ['data', '3']],
  [2, 2, []],
] as const) {
  const who = number === undefined ? 'a process that serves alone' : `worker ${number} of ${count}`;
  const what = adopted.length === 0 ? 'nothing' : adopted.join(', ');
  places(`that are given up leave their journals: ${who} takes over ${what}`, async () => {
    const workspace = createWorkspace();
    const data = workspace.path('data');
    const folderOf = (name: string) => (name === 'data' ? data : `${data}/workers/${name}`);
    for (const name of ['data', '1', '2', '3']) {
      mkdirSync(folderOf(name), { recursive: true });
      writeFileSync(
        `${folderOf(name)}/ledger-journal.ndjson`,
        `${JSON.stringify({ requestId: name, nowSeconds: 1, rows: [] })}\n`,
      );
    }
    const place = servingPlace(configOf(data, count), number);
    await adoptJournals(place);
    const journal = new LedgerJournal(place.folder);
    const found: string[] = [];
    for (const path of await journal.takeFiles()) {
      for (const { requestId } of (await journal.read(path)).settlements) found.push(requestId);
    }
    const own = number === undefined ? 'data' : String(number);
    assert.equal(found.sort(), [...adopted, own].sort());
    for (const name of adopted) assert.not.ok(readdirSync(folderOf(name)).some((file) => file.includes('journal')));
    workspace.remove();
  });
}

places.run();
