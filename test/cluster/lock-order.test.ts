/**
 * Everything that changes accounts, keys, channels and money at once on two daemons with one PostgreSQL: nobody waits
 * for anybody in a circle, which PostgreSQL would break off by failing one of them a second later.
 * Runs once: it brings PostgreSQL with it, and no Redis.
 */
import pg from 'pg';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Client } from '../../daemon/contract/client.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { answeredChat } from '../support/daemon-pair.ts';
import { type TestDatabase, testEngines } from '../support/engines.ts';
import { type FakeUpstream, startFakeUpstream } from '../support/fake-upstream.ts';
import { LedgerInvariants } from '../support/ledger-invariants.ts';
import { merchantKey, paidNotice, signed } from '../support/payment-site.ts';
import { untilPasses } from '../support/until.ts';

const order = suite('changes that meet');

let place: TestDatabase;
let upstream: FakeUpstream;
let nodes: readonly TestDaemon[];
let books: LedgerInvariants | undefined;

const rounds = 10;

interface Person {
  readonly id: number;
  readonly credential: string;
  /** Their relay keys, by id. */
  readonly keys: Map<number, string>;
}

order.before(async () => {
  place = await testEngines.postgres.migrated();
  // A circle is found sooner than by default, so that what runs behind it is not spared.
  await onDatabase((db) => db.query(`ALTER DATABASE "${nameOf(place.url)}" SET deadlock_timeout = '20ms'`));
  upstream = await startFakeUpstream(() => answeredChat);
  const wish = { databaseUrl: place.url, config: { 'redis.url': '', 'database.pool_size': 20 } };
  const options = {
    ServerAddress: 'https://gateway.example',
    PayAddress: 'https://pay.example',
    EpayId: '1001',
    EpayKey: merchantKey,
    RebateEnabled: 'true',
    RebatePercentage: '10',
    ModelRatio: '{"m":1,"n":1}',
    RateLimits: '{"user":{"lena0":{"rpm":1000000}}}',
  };
  const first = await startTestDaemon({ ...wish, options });
  nodes = [first, await startTestDaemon(wish)];
});

order.after(async () => {
  await books?.end();
  for (const node of nodes ?? []) await node.stop();
  await upstream?.close();
  await place?.drop();
});

const nameOf = (url: string): string => new URL(url).pathname.slice(1);

async function onDatabase<T>(work: (db: pg.Client) => Promise<T>): Promise<T> {
  const db = new pg.Client({ connectionString: place.url });
  await db.connect();
  try {
    return await work(db);
  } finally {
    await db.end();
  }
}

function nodeOf(turn: number): TestDaemon {
  const node = nodes[turn % nodes.length];
  if (!node) throw new Error('no node was started');
  return node;
}

const root = (turn: number): Client => nodeOf(turn).client(nodes[1]?.accessToken);

async function person(name: string, inviterId: number): Promise<Person> {
  const { database, keyring, nowSeconds } = nodeOf(0).daemon.foundation;
  const account = { username: name, createdAt: nowSeconds(), role: 1, status: 1, group: 'default', inviterId };
  const inserted = await database.stores.users.insert(account);
  if (!inserted.inserted) throw new Error('the name is taken');
  const { id } = inserted.user;
  const credential = name.padEnd(32, 'x');
  await database.stores.users.setAccessToken(id, keyring.accessTokenHash(credential), nowSeconds() + 10_000);
  await root(0).users.manage({ id, action: 'add_quota', mode: 'add', value: 50_000_000 });
  const keys = new Map<number, string>();
  for (let count = 0; count < 4; count += 1) {
    const made = await nodeOf(0).client(credential).tokens.create({ name: 'key', expired_time: -1, remain_quota: 9e6 });
    keys.set(made.id, `sk-${made.key}`);
  }
  return { id, credential, keys };
}

order('change in one order, so that none is broken off', async () => {
  const people: Person[] = [];
  for (let count = 0; count < 6; count += 1) people.push(await person(`lena${count}`, people.at(-1)?.id ?? 0));
  const channels: number[] = [];
  for (const name of ['a', 'b', 'c']) {
    channels.push(await nodeOf(1).addChannel({ base_url: upstream.url, models: 'm,n', name, tag: 'all' }));
  }
  books = await LedgerInvariants.begin(place.url);
  const one = <T>(list: readonly T[], turn: number): T => {
    const found = list[turn % list.length];
    if (found === undefined) throw new Error('the list is empty');
    return found;
  };
  const whoOf = (turn: number) => one(people, turn);
  const own = (turn: number) => nodeOf(turn).client(whoOf(turn).credential);
  const keyOf = (turn: number) => one([...whoOf(turn).keys], Math.floor(turn / 7));
  const acts: Readonly<Record<string, (turn: number) => Promise<unknown>>> = {
    'budget of an account': (turn) =>
      root(turn).budgets.set({ on: `user:${whoOf(turn).id}`, kind: 'quota', per: 'day', limit: 9e9 + turn }),
    'budget of a key': (turn) =>
      own(turn).budgets.set({ on: `token:${keyOf(turn)[0]}`, kind: 'quota', per: 'day', limit: 9e9 + turn }),
    'budget of a channel': (turn) =>
      root(turn).budgets.set({ on: `channel:${one(channels, turn)}`, kind: 'quota', per: 'day', limit: 9e9 + turn }),
    'account by an administrator': (turn) => root(turn).users.update({ id: whoOf(turn).id, notes: `${turn}` }),
    'names of the account with limits': (turn) =>
      root(turn).users.update({ id: whoOf(0).id, username: turn % 2 === 0 ? 'lena0' : 'lenaX' }),
    'account by itself': (turn) => own(turn).account.update({ display_name: `Lena ${turn}` }),
    balance: (turn) => root(turn).users.manage({ id: whoOf(turn).id, action: 'add_quota', mode: 'add', value: 5 }),
    key: (turn) => own(turn).tokens.update({ id: keyOf(turn)[0], name: `key ${turn}` }),
    'keys that come and go together': async (turn) => {
      const made = await Promise.all(
        [1, 2, 3].map(() => own(turn).tokens.create({ name: 'brief', expired_time: -1, unlimited_quota: true })),
      );
      await Promise.all(made.map(({ key }) => call(`sk-${key}`)));
      await own(turn).tokens.deleteBatch({ ids: made.map(({ id }) => id).reverse() });
    },
    channel: (turn) => root(turn).channels.update({ id: one(channels, turn), priority: turn }),
    'channels of a tag': (turn) => root(turn).channels.editTag({ tag: 'all', weight: turn % 9 }),
    'tag of channels': (turn) => root(turn).channels.setTags({ ids: [...channels].reverse(), tag: 'all' }),
    options: (turn) => root(turn).prices.set({ models: { m: { model_ratio: 1 + (turn % 3) } } }),
    'a whole account': async (turn) => {
      const name = `brief${turn}`;
      const { id } = await root(turn).users.create({ username: name, password: 'long enough', quota: 5 });
      await root(turn).users.delete({ id });
      await root(turn).users.delete({ id, purge: true });
    },
    code: async (turn) => {
      const [key = ''] = await root(turn).redemptions.create({ name: 'code', quota: 50 });
      await own(turn).redemptions.redeem({ key });
    },
    order: async (turn) => {
      const { data } = await own(turn).wallet.pay({ amount: 1, payment_method: 'wx' });
      const notice = paidNotice(data.out_trade_no ?? '', { money: data.money ?? '' });
      await fetch(`${nodeOf(turn).url}/api/user/epay/notify?${new URLSearchParams(signed(notice))}`);
    },
    call: (turn) => Promise.all([1, 2, 3, 4].map((more) => call(keyOf(turn + more)[1]))),
  };
  let turns = 0;
  const call = async (key: string): Promise<void> => {
    turns += 1;
    await fetch(`${nodeOf(turns).url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] }),
    });
  };
  const done = new Set<string>();
  const lane = async ([name, act]: [string, (turn: number) => Promise<unknown>]): Promise<void> => {
    for (let turn = 0; turn < rounds; turn += 1) {
      // On a busy machine the last in line may wait in vain for some turns; that is no circle.
      await act(turn).then(
        () => done.add(name),
        () => undefined,
      );
    }
  };
  await Promise.all(Object.entries(acts).map(lane));
  assert.equal(
    Object.keys(acts).filter((name) => !done.has(name)),
    [],
    'never done',
  );
  await onDatabase(async (db) => {
    // The server tells what its processes have seen about a second after they have.
    await untilPasses(async () => {
      const { rows } = await db.query('SELECT xact_commit > $1 AS told FROM pg_stat_database WHERE datname = $2', [
        rounds * Object.keys(acts).length,
        nameOf(place.url),
      ]);
      assert.ok(rows[0]?.told);
    });
    const { rows } = await db.query('SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()');
    assert.equal(rows, [{ deadlocks: 0 }]);
  });
  await books.check();
});

order.run();
