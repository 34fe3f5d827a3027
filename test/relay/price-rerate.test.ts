/** Past charges by other prices (cli.md 3.5), on a whole daemon: reports, and differences that are booked, with the books in order. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { billOf } from '../../console/billing/bill.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { LedgerInvariants } from '../support/ledger-invariants.ts';
import { newLogRow } from '../support/log-records.ts';
import { assertRefused } from '../support/refusals.ts';
import { until } from '../support/until.ts';
import { completion } from './wire.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
  invariants: LedgerInvariants;
  /** What pays: an unlimited key, and one that may use 20,000. */
  keys: { id: number; key: string }[];
}

const test = suite<World>('relay: past charges by other prices');
const usage = { prompt_tokens: 1000, completion_tokens: 100, prompt_tokens_details: { cached_tokens: 400 } };
const window = { start_timestamp: 0, end_timestamp: 4_000_000_000, by: 'model' } as const;

test.before(async (world) => {
  world.upstream = await startFakeUpstream(jsonAnswer({ ...completion(), usage }));
  world.daemon = await startTestDaemon({ options: { DataExportEnabled: 'true' } });
  const { root } = world.daemon;
  await world.daemon.addChannel({ base_url: world.upstream.url, models: 'plain,called' });
  await root.budgets.set({ on: 'user:1', kind: 'quota', per: 'month', limit: 1_000_000 });
  world.keys = await Promise.all(
    [{ unlimited_quota: true }, { remain_quota: 20_000 }].map((wish) =>
      root.tokens.create({ name: 'k', expired_time: -1, ...wish }),
    ),
  );
  const { database } = world.daemon.daemon.foundation;
  await database.stores.logs.insert([newLogRow({ requestId: 'old', modelName: 'plain', other: '{}' })]);
  world.invariants = await LedgerInvariants.begin(world.daemon.databaseUrl);
});
test.after(async ({ daemon, upstream, invariants }) => {
  await invariants.check();
  await invariants.end();
  await daemon.stop();
  await upstream.close();
});

async function ask({ daemon }: World, key: { key: string } | undefined, model: string): Promise<void> {
  const answer = await fetch(`${daemon.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer sk-${key?.key}` },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
  });
  assert.is(answer.status, 200, await answer.text());
}

/** Rows that were charged, the oldest first. */
async function charged({ daemon }: World, count: number) {
  const list = async () => (await daemon.root.logs.list({ type: 2, page_size: 100 })).items;
  await until(async () => (await list()).length === count + 1);
  return (await list()).reverse().slice(1);
}

const quotas = async (world: World, count: number) => (await charged(world, count)).map(({ quota }) => quota);
const newestVersion = async ({ daemon }: World) => (await daemon.root.priceWork.versions()).items[0]?.version ?? 0;

test('tell what there would have been to pay, and change nothing', async (world) => {
  const { root } = world.daemon;
  await root.prices.set({ models: { plain: { model_ratio: 1, completion_ratio: 2, cache_ratio: 0.5 } } });
  await root.prices.set({ models: { called: { model_price: 0.01 } } });
  const first = await newestVersion(world);
  for (const key of world.keys) for (const model of ['plain', 'called']) await ask(world, key, model);
  // 600 + 400 × 0.5 + 100 × 2, and 0.01 USD.
  const rows = await charged(world, 4);
  assert.equal(
    rows.map(({ model_name, quota, other }) => [model_name, quota, JSON.parse(other).price_version]),
    [
      ['plain', 1000, first],
      ['called', 5000, first],
      ['plain', 1000, first],
      ['called', 5000, first],
    ],
  );
  const same = await root.priceWork.rerate({ version: first, ...window });
  assert.equal(same.rows, [
    { key: 'called', requests: 2, charged: 10_000, would_be: 10_000 },
    { key: 'plain', requests: 2, charged: 2000, would_be: 2000 },
  ]);
  assert.equal([same.differing, same.next], [0, null]);
  const left = [{ reason: 'no_version', rows: 1, charged: 0, request_ids: ['old'] }] as const;
  assert.equal(same.left, left);
  const draft = { plain: { completion_ratio: 4 }, called: { model_price: null } };
  const drafted = await root.priceWork.rerate({ draft, ...window, by: 'user' });
  assert.equal(drafted.rows, [{ key: 'root', requests: 2, charged: 2000, would_be: 2400 }]);
  assert.equal(
    drafted.left.map(({ reason, rows: count }) => [reason, count]),
    [
      ['no_version', 1],
      ['unpriced', 2],
    ],
  );
  assert.equal(await quotas(world, 4), [1000, 5000, 1000, 5000]);
  assert.equal(await root.priceWork.rerate({ version: first, ...window, end_timestamp: 1 }), {
    rows: [],
    left: [],
    differing: 0,
    next: null,
  });
  await assertRefused(root.priceWork.rerate({ version: 999, ...window }), 'price_version_not_found');
  await assertRefused(root.priceWork.rerate(window), 'invalid_params');
  await assertRefused(root.priceWork.rerate({ version: first, draft, ...window }), 'invalid_params');
  await assertRefused(root.priceWork.rerate({ draft, book: true, ...window }), 'invalid_params');
});

test('book the differences once, with all that was charged, summed and limited by them', async (world) => {
  const { daemon, keys, invariants } = world;
  const { root } = daemon;
  const { database } = daemon.daemon.foundation;
  const first = await newestVersion(world);
  const rows = await charged(world, 4);
  // Half of the rows' hours are in the sums of the log already.
  const now = Math.floor(Date.now() / 1000);
  await database.stores.logSums.mark(now);
  await database.transaction((stores) => stores.logSums.fold(3));
  const used = async () => (await root.budgets.list({ on: 'user:1' })).items[0]?.used ?? Number.NaN;
  const rerates = async () => {
    const { items } = await root.audits.list({ page_size: 100 });
    return items.filter(({ action }) => action === 'price.rerate');
  };
  const before = { self: await root.account.get(), budget: await used() };
  await root.prices.set({ models: { plain: { model_ratio: 0.5 }, called: { model_price: 0.02 } } });
  const target = await newestVersion(world);
  const wish = { version: target, ...window, book: true, note: 'wrong list' };
  const booked = await root.priceWork.rerate(wish);
  assert.equal(booked.rows, [
    { key: 'called', requests: 2, charged: 10_000, would_be: 20_000 },
    { key: 'plain', requests: 2, charged: 2000, would_be: 1000 },
  ]);
  assert.is(booked.differing, 4);
  await invariants.check();
  const after = await charged(world, 4);
  assert.equal(await quotas(world, 4), [500, 10_000, 500, 10_000]);
  const self = await root.account.get();
  assert.equal([self.quota, self.used_quota], [before.self.quota - 9000, before.self.used_quota + 9000]);
  const token = await root.tokens.get({ id: keys[1]?.id ?? 0 });
  assert.equal([token.remain_quota, token.used_quota], [20_000 - 10_500, 10_500]);
  const { quota_per_unit: quotaPerUnit } = await root.status.get();
  for (const [at, row] of after.entries()) {
    const bill = billOf(row, quotaPerUnit);
    assert.equal([bill?.agreement, bill?.quota], ['exact', row.quota], row.other);
    const facts = JSON.parse(row.other);
    assert.is(facts.price_version, target);
    const { at: second, ...note } = facts.rerated[0];
    assert.equal(note, { from: first, to: target, quota: rows[at]?.quota });
    assert.ok(second >= now);
  }
  assert.match(after[0]?.content ?? '', /0\.5/);
  const audits = await rerates();
  assert.is(audits.length, 4);
  assert.match(JSON.stringify(audits), 'wrong list');
  await until(async () => (await used()) === before.budget + 9000);
  const again = await root.priceWork.rerate(wish);
  assert.equal([again.differing, (await rerates()).length], [0, 4]);
  // And back, by two at one moment: what was booked is charged by its new version.
  const back = { ...wish, version: first };
  await Promise.all([root.priceWork.rerate(back), root.priceWork.rerate(back)]);
  await invariants.check();
  assert.equal(await quotas(world, 4), [1000, 5000, 1000, 5000]);
  assert.is((await rerates()).length, 8);
});

test('leave a charge as it is where nobody can pay the difference, or its own prices do not explain it', async (world) => {
  const { daemon, invariants } = world;
  const { root } = daemon;
  const { database } = daemon.daemon.foundation;
  await root.prices.set({ models: { plain: { model_ratio: 10 }, called: { model_price: 0.04 } } });
  const dear = { version: await newestVersion(world), ...window, book: true };
  const booked = await root.priceWork.rerate(dear);
  assert.equal(booked.left.find(({ reason }) => reason === 'balance')?.rows, 1, JSON.stringify(booked));
  await invariants.check();
  assert.equal(await quotas(world, 4), [10_000, 20_000, 10_000, 5000]);
  await ask(world, world.keys[0], 'plain');
  const [id] = (await charged(world, 5)).slice(-1).map(({ id }) => id);
  // Somebody has changed what the row says of its call.
  const row = await database.stores.logs.lock(id ?? 0);
  if (row === undefined) throw new Error('no row');
  const amended = { ...row, promptTokens: row.promptTokens + 1000 };
  await database.transaction((stores) => stores.logSums.amend([row.id], () => stores.ledger.amendRows([amended])));
  const { left } = await root.priceWork.rerate({ ...dear, book: false });
  assert.equal(
    left.map(({ reason }) => reason),
    ['no_version', 'not_reproducible'],
  );
});

test('tell and book what rankings would be that were charged by the search', async (world) => {
  const { daemon, upstream } = world;
  const { root } = daemon;
  await daemon.addChannel({ base_url: upstream.url, type: 34, models: 'ranked' });
  await root.prices.set({ models: { ranked: { model_price: 0.002 } } });
  const meta = { billed_units: { search_units: 3 } };
  upstream.script(jsonAnswer({ id: 'r', results: [{ index: 0, relevance_score: 0.5 }], meta }));
  const answer = await fetch(`${daemon.url}/v1/rerank`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer sk-${world.keys[0]?.key}` },
    body: JSON.stringify({ model: 'ranked', query: 'which', documents: ['one', 'two'] }),
  });
  assert.is(answer.status, 200, await answer.text());
  const ranking = async () => (await root.logs.list({ type: 2, model_name: 'ranked' })).items;
  await until(async () => (await ranking()).length === 1);
  assert.is((await ranking())[0]?.quota, 3000);

  await root.prices.set({ models: { ranked: { model_price: 0.004 } } });
  const version = await newestVersion(world);
  const report = await root.priceWork.rerate({ ...window, version, book: true });
  assert.equal(
    report.rows.find(({ key }) => key === 'ranked'),
    { key: 'ranked', requests: 1, charged: 3000, would_be: 6000 },
  );
  const [row] = await ranking();
  assert.is(row?.quota, 6000);
  assert.is(row && billOf(row, 500_000)?.agreement, 'exact');
});

test.run();
