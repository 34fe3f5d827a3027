/**
 * Credits that many ask for at one moment, over HTTP on a whole daemon: codes, gifts, check-ins, invites and calls beside
 * saves of the profile. Each is given exactly as often as its rule says, and the books agree (REQ-35, S5, W18 to W20).
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, createClient } from '../../daemon/contract/client.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { LedgerInvariants } from '../support/ledger-invariants.ts';
import { until } from '../support/until.ts';

const claims = suite('claims at one moment');

let daemon: TestDaemon;
let upstream: FakeUpstream;
let books: LedgerInvariants;
let shiftMs = 0;

claims.before(async () => {
  upstream = await startFakeUpstream(
    jsonAnswer({
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'gpt-4o',
      choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 },
    }),
  );
  daemon = await startTestDaemon({
    clock: { now: () => Date.now() + shiftMs, monotonic: () => performance.now() },
    config: { 'limits.per_user.enabled': false, 'relay.max_concurrent_per_user': 1000 },
    options: { CheckInEnabled: 'true', CheckInQuota: '1000', RegisterEnabled: 'true', QuotaForInviter: '70' },
  });
  await daemon.root.options.set({ key: 'QuotaForInvitee', value: '30' });
  await daemon.addChannel({ base_url: upstream.url, models: 'gpt-4o', group: 'default,vip' });
  books = await LedgerInvariants.begin(daemon.databaseUrl);
});

claims.after(async () => {
  await books.end();
  await daemon.stop();
  await upstream.close();
});

interface Account {
  readonly id: number;
  readonly token: string;
}

let made = 0;

/** Accounts without a password: a hundred hashes would be all that these tests do. */
async function accounts(count: number): Promise<Account[]> {
  const { database, keyring, nowSeconds } = daemon.daemon.foundation;
  const all: Account[] = [];
  for (let index = 0; index < count; index += 1) {
    made += 1;
    const username = `claimer${made}`;
    const inserted = await database.stores.users.insert({ username, affCode: username, createdAt: nowSeconds() });
    if (!inserted.inserted) throw new Error(`${username} is taken`);
    const token = username.padEnd(32, 'q');
    await database.stores.users.setAccessToken(
      inserted.user.id,
      keyring.accessTokenHash(token),
      nowSeconds() + 200_000,
    );
    all.push({ id: inserted.user.id, token });
  }
  return all;
}

async function balancesOf(all: readonly Account[]): Promise<number[]> {
  const { users } = daemon.daemon.foundation.database.stores;
  return Promise.all(all.map(async ({ id }) => (await users.find(id))?.quota ?? Number.NaN));
}

/** How often each outcome came: `ok` or the code of a refusal. */
async function outcomes(calls: readonly Promise<unknown>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const result of await Promise.allSettled(calls)) {
    if (result.status === 'rejected' && !(result.reason instanceof ApiError)) throw result.reason;
    const outcome = result.status === 'fulfilled' ? 'ok' : (result.reason.code ?? '');
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);

claims('of a single-use code by 100 users give one of them the credit', async () => {
  const [code] = await daemon.root.redemptions.create({ name: 'single', quota: 5000, count: 1 });
  const everybody = await accounts(100);
  const counts = await outcomes(
    everybody.map(({ token }) => daemon.client(token).redemptions.redeem({ key: code ?? '' })),
  );
  assert.equal(counts, { ok: 1, redeem_used: 99 });
  assert.is(sum(await balancesOf(everybody)), 5000);
});

claims('of codes that are edited at the same moment credit what the code says afterwards', async () => {
  const { redemptions } = daemon.root;
  const codes = await redemptions.create({ name: 'edited', quota: 100, count: 20 });
  const everybody = await accounts(codes.length);
  const { items } = await redemptions.list({ page_size: 100 });
  const rows = codes.map((code) => items.find(({ key }) => key === code));
  await outcomes(
    rows.flatMap((row, index) => [
      redemptions.update({ id: row?.id ?? 0, name: 'edited', quota: 250 }),
      daemon.client(everybody[index]?.token).redemptions.redeem({ key: row?.key ?? '' }),
    ]),
  );
  const after = await Promise.all(rows.map((row) => redemptions.get({ id: row?.id ?? 0 })));
  assert.equal(
    await balancesOf(everybody),
    after.map(({ quota }) => quota),
  );
});

claims('of a gift for seven give seven users the credit, each once, though everybody asks twice', async () => {
  const gift = { name: 'gift', quota: 300, count: 1, is_gift: true, max_uses: 7 };
  const [code] = await daemon.root.redemptions.create(gift);
  const everybody = await accounts(40);
  const counts = await outcomes(
    [...everybody, ...everybody].map(({ token }) => daemon.client(token).redemptions.redeem({ key: code ?? '' })),
  );
  assert.is(counts.ok, 7);
  assert.is(sum(Object.values(counts)), 80);
  for (const code of Object.keys(counts)) assert.ok(['ok', 'gift_exhausted', 'gift_repeat'].includes(code), code);
  assert.equal(
    (await balancesOf(everybody)).filter((quota) => quota !== 0),
    [300, 300, 300, 300, 300, 300, 300],
  );
});

claims('of check-in are granted once before and once after midnight, whoever asks how often', async () => {
  const [account] = await accounts(1);
  const checkIn = () => daemon.client(account?.token).rewards.checkIn();
  const day = 86_400_000;
  const midnight = Math.ceil(Date.now() / day) * day;
  const counted: Promise<Record<string, number>>[] = [];
  const ask = () => counted.push(outcomes(Array.from({ length: 4 }, checkIn)));
  shiftMs = midnight - 3_600_000 - Date.now();
  ask();
  await counted[0];
  shiftMs = midnight - 200 - Date.now();
  // The calls begin in one day and end in the other, by the daemon's clock.
  while (Date.now() + shiftMs < midnight + 100) {
    ask();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  ask();
  const given = (await Promise.all(counted)).map(({ ok = 0 }) => ok);
  shiftMs = 0;
  assert.equal([sum(given), given[0]], [2, 1], `${given.length} rounds of four`);
  assert.equal(await balancesOf(account ? [account] : []), [2000]);
});

claims('of one name make one account, and of one invite code reward its owner for each account', async () => {
  const [inviter] = await accounts(1);
  const aff_code = await daemon.client(inviter?.token).rewards.inviteCode();
  const visitor = createClient({ baseUrl: daemon.url, retries: 0 });
  const register = (username: string) => visitor.account.register({ username, password: 'a good password', aff_code });
  const names = ['Twin', 'twin', 'TWIN', 'tWin', ...Array.from({ length: 8 }, (_, index) => `single${index}`)];
  const counts = await outcomes(names.map(register));
  assert.equal(counts, { ok: 9, username_taken: 3 });
  const { affCount, affQuota, affHistory, quota } =
    (await daemon.daemon.foundation.database.stores.users.find(inviter?.id ?? 0)) ?? {};
  assert.equal([affCount, affQuota, affHistory, quota], [9, 630, 630, 0]);
  const { items } = await daemon.root.users.search({ keyword: 'single', page_size: 20 });
  assert.equal(new Set(items.map((row) => row.quota)), new Set([30]));
});

claims('beside a thousand charges and saves of the profile leave the balance exact', async () => {
  const [account] = await accounts(1);
  const { id, token } = account ?? { id: 0, token: '' };
  await daemon.root.users.manage({ id, action: 'add_quota', mode: 'add', value: 10_000_000 });
  const own = daemon.client(token);
  const made = await own.tokens.create({ name: 'busy', expired_time: -1, unlimited_quota: true });
  const call = async () => {
    const answer = await fetch(`${daemon.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer sk-${made.key}` },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }], max_tokens: 30 }),
    });
    await answer.arrayBuffer();
    assert.is(answer.status, 200);
  };
  const save = async (turn: number) => {
    const self = await own.account.get();
    await own.account.update({ ...self, display_name: `n${turn}` });
    await own.account.saveSetting({ notify_type: 'email', quota_warning_threshold: turn + 1 });
    await daemon.root.users.update({ id, group: turn % 2 === 0 ? 'vip' : 'default' });
    await daemon.root.users.manage({ id, action: 'add_quota', mode: 'add', value: 3 });
  };
  const callers = Array.from({ length: 20 }, async () => {
    for (let turn = 0; turn < 50; turn += 1) await call();
  });
  const savers = Array.from({ length: 4 }, async (_, saver) => {
    for (let turn = 0; turn < 10; turn += 1) await save(saver * 10 + turn);
  });
  await Promise.all([...callers, ...savers]);
  await daemon.daemon.foundation.database.ping();
  const charged = 113 * 1000;
  await until(async () => (await own.account.get()).used_quota >= charged);
  const { quota, used_quota, request_count } = await own.account.get();
  assert.equal([quota, used_quota, request_count], [10_000_000 + 40 * 3 - charged, charged, 1000]);
});

claims.run();
