/**
 * What a full installation costs its calls: 10,000 channels, 1,000,000 tokens and 10,000,000 log rows against an empty
 * database, in turn, on one core. By hand, at a quiet time, with some 20 GB free:
 *   node --import tsx test/bench/scale.ts [--rows N] [--tokens N] [--channels N] [--rounds 3] [--seconds 10]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import knexModule from 'knex';
import { type Gateway, startGateway } from './gateway.ts';
import { median, wrk } from './load.ts';
import { fillLog } from './log-fill.ts';
import { residentBytes } from './memory.ts';
import { needPrograms } from './processes.ts';
import { type References, startReferences } from './references.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '10000000' },
    tokens: { type: 'string', default: '1000000' },
    channels: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '10' },
  },
});
const root = fileURLToPath(new URL('../../', import.meta.url));
const rounds = Number(values.rounds);
const loads = [
  { name: 'json', connections: 256 },
  { name: 'stream', connections: 64 },
] as const;

/** Users of a hundred tokens each. */
const fillAccounts = [
  `insert into users (id, username, username_key, quota)
    with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < ?)
    select i, 'user' || i, 'user' || i, 1000000 from numbers`,
  `insert into tokens (user_id, key_hash, name, remain_quota)
    with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < ?)
    select 1 + i / 100, 'v1:' || hex(randomblob(32)), 'key ' || i, 1000000 from numbers`,
];

/** A database as a big site would have it, but for its channels. */
async function fill(path: string): Promise<void> {
  const { sizes } = await fillLog(`sqlite:${path}`, 'sqlite', Number(values.rows));
  const db = knexModule({
    client: 'sqlite3',
    connection: { filename: path },
    useNullAsDefault: true,
    pool: { min: 1, max: 1 },
  });
  const tokens = Number(values.tokens);
  const [users = '', keys = ''] = fillAccounts;
  await db.raw(users, [Math.ceil(tokens / 100) + 1]);
  await db.raw(keys, [tokens]);
  await db.destroy();
  console.log(`filled: ${values.rows} log rows (${sizes}), ${tokens} tokens`);
}

/** Channels of twenty models each, out of 500; one in twenty-five also serves the model that is called. */
async function addChannels({ management }: Gateway, { upstream }: References): Promise<void> {
  const atOnce = 100;
  for (let batch = 0; batch < Number(values.channels) / atOnce; batch += 1) {
    const models = Array.from({ length: 20 }, (_, index) => `model-${(batch * 20 + index) % 500}`);
    await management.call('POST', '/api/channel/', {
      mode: 'batch',
      channel: {
        name: `channel ${batch}`,
        type: 1,
        key: Array.from({ length: atOnce }, (_, index) => `key-${batch}-${index}`).join('\n'),
        base_url: upstream.json,
        models: [...models, ...(batch % 25 === 0 ? ['gpt-4o-mini'] : [])].join(','),
      },
      groups: ['default'],
    });
  }
}

async function main(): Promise<void> {
  needPrograms();
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-scale-'));
  const references = await startReferences(folder, root);
  const gateways = new Map<string, Gateway>();
  const started = async (name: string, file: string) => {
    const databaseUrl = `sqlite:${join(folder, file)}`;
    const gateway = await startGateway({ root, upstream: references.upstream, databaseUrl });
    gateways.set(name, gateway);
    return gateway;
  };
  try {
    await fill(join(folder, 'full.db'));
    await addChannels(await started('full', 'full.db'), references);
    await started('empty', 'empty.db');
    for (const [name, { pid }] of gateways)
      console.log(`${name}: ${(residentBytes(pid) / 1e6).toFixed(0)} MB resident`);
    for (const { name, connections } of loads) {
      const rates = new Map<string, number[]>();
      for (let round = 0; round <= rounds; round += 1) {
        for (const [title, gateway] of gateways) {
          const figure = await wrk({
            root,
            url: `${gateway.url}/v1/chat/completions`,
            headers: [`Authorization: ${gateway.authorization[name]}`],
            body: references.bodies[name],
            connections,
            seconds: Number(values.seconds),
          });
          if (figure.non2xx > 0) throw new Error(`${figure.non2xx} calls failed`);
          if (round > 0) rates.set(title, [...(rates.get(title) ?? []), figure.rps]);
        }
      }
      const [full, empty] = ['full', 'empty'].map((title) => median(rates.get(title) ?? []));
      const ratio = ((full ?? Number.NaN) / (empty ?? Number.NaN)).toFixed(2);
      console.log(`${name}: full ${full?.toFixed(0)} a second, empty ${empty?.toFixed(0)}: ${ratio}`);
    }
  } finally {
    for (const gateway of gateways.values()) await gateway.stop();
    await references.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
