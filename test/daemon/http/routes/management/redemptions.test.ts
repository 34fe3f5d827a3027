/** Redemption codes: batches, exact claims, files (management-api.md 3.12, 3.13, 5.4, 5.5, D6, D22, K15, REQ-35). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Client } from '../../../../../daemon/contract/client.ts';
import { type HttpHarness, startHttpHarness, type TestUser } from '../../../../support/http-harness.ts';
import { assertRefused, refusalOf } from '../../../../support/refusals.ts';
import { codeRoutes } from './code-routes.ts';

const codes = suite('redemption codes');

let harness: HttpHarness;
let admin: Client;

codes.before(async () => {
  harness = await startHttpHarness({
    trustedProxies: ['127.0.0.1'],
    routes: codeRoutes,
  });
  await harness.setup();
  admin = harness.client(await harness.addUser({ role: 10 }));
});

codes.after(() => harness.close());

async function set(values: Readonly<Record<string, string>>): Promise<void> {
  const { database, snapshots } = harness.world;
  for (const [key, value] of Object.entries(values)) await database.stores.options.set(key, value);
  await snapshots.reload('options');
}

const users = (count: number): Promise<TestUser[]> =>
  Promise.all(Array.from({ length: count }, () => harness.addUser({ password: 'no password' })));

const balanceOf = async ({ user }: TestUser) => (await harness.world.database.stores.users.find(user.id))?.quota ?? 0;

async function make(over: Parameters<Client['redemptions']['create']>[0] = {}): Promise<string> {
  const [code = ''] = await admin.redemptions.create({ name: 'made', quota: 1000, ...over });
  return code;
}

async function rowOf(code: string) {
  const row = (await admin.redemptions.search({ keyword: code })).items[0];
  if (!row) throw new Error(`no row of ${code}`);
  return row;
}

/** Codes of the refusals and the number of successes when all users redeem at the same moment. */
async function redeemAll(code: string, by: readonly TestUser[]): Promise<Record<string, number>> {
  const outcomes: Record<string, number> = {};
  const count = (outcome: string) => {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  };
  await Promise.all(
    by.map((user) =>
      harness
        .client(user)
        .redemptions.redeem({ key: ` ${code} ` })
        .then(
          () => count('credited'),
          (error: { code: string }) => count(error.code),
        ),
    ),
  );
  return outcomes;
}

codes('are 32 lower-case hex characters and take the name and value of their batch', async () => {
  const made = await admin.redemptions.create({
    name: ' spring ',
    quota: '500',
    count: 3,
    is_gift: false,
    max_uses: 7,
  });
  assert.is(new Set(made).size, 3);
  for (const code of made) assert.match(code, /^[0-9a-f]{32}$/);
  const row = await rowOf(made[0] ?? '');
  assert.equal(
    [row.name, row.quota, row.status, row.max_uses, row.used_count, row.count],
    ['spring', 500, 1, -1, 0, 0],
  );
});

const refusals: readonly (readonly [Parameters<Client['redemptions']['create']>[0], string])[] = [
  [{ name: '' }, 'redemption_name_invalid'],
  [{ name: 'x'.repeat(21) }, 'redemption_name_invalid'],
  [{ quota: 0 }, 'redemption_quota_invalid'],
  [{ quota: 1.5 }, 'redemption_quota_invalid'],
  [{ quota: 10 ** 12 + 1 }, 'redemption_quota_invalid'],
  [{ quota: null }, 'redemption_quota_invalid'],
  [{ count: 0 }, 'redemption_count_invalid'],
  [{ count: 10_001 }, 'redemption_count_max'],
  [{ is_gift: true, max_uses: 0 }, 'redemption_max_uses_invalid'],
  [{ is_gift: true, max_uses: -2 }, 'redemption_max_uses_invalid'],
  [{ valid_from: 20, valid_until: 20 }, 'redemption_window_invalid'],
  [{ valid_from: -1 }, 'redemption_window_invalid'],
  [{ key: 'abc' }, 'redemption_key_invalid'],
  [{ key: 'with space' }, 'redemption_key_invalid'],
  [{ key: 'x'.repeat(33) }, 'redemption_key_invalid'],
];

codes('are refused by the member that is wrong', async () => {
  const before = (await admin.redemptions.list()).total;
  for (const [over, code] of refusals) {
    await assertRefused(admin.redemptions.create({ name: 'bad', quota: 5, ...over }), code);
  }
  assert.is((await admin.redemptions.list()).total, before);
  const name = '兑'.repeat(20);
  assert.is((await rowOf(await make({ name }))).name, name);
});

codes('of one’s own text are made once, also after they were deleted', async () => {
  assert.equal(await admin.redemptions.create({ name: 'own', quota: 5, key: 'SPRING-26', count: 9 }), ['SPRING-26']);
  await assertRefused(make({ key: 'SPRING-26' }), 'redemption_key_taken');
  await admin.redemptions.delete({ id: (await rowOf('SPRING-26')).id });
  await assertRefused(make({ key: 'SPRING-26' }), 'redemption_key_taken');
});

codes('come ten thousand in one call, and the same ten thousand when it is repeated', async () => {
  const input = { name: 'bulk', quota: 5, count: 10_000 };
  const batches: string[][] = [];
  const create = async () => batches.push(await admin.redemptions.create(input, { idempotencyKey: 'bulk' }));
  await create();
  await create();
  const [first = [], again] = batches;
  assert.is(new Set(first).size, 10_000);
  assert.equal(again, first);
  assert.is(await admin.redemptions.countByName({ name: 'bulk' }), 10_000);
  const file = await (await admin.redemptions.export({ name: 'bulk' })).text();
  assert.equal(new Set(file.trimEnd().split('\n')), new Set(first));
  assert.is(await admin.redemptions.deleteByName({ name: 'bulk' }), 10_000);
});

codes('for one use give one credit to a hundred users at once', async () => {
  const by = await users(100);
  const code = await make({ quota: 700 });
  assert.equal(await redeemAll(code, by), { credited: 1, redeem_used: 99 });
  const balances = await Promise.all(by.map(balanceOf));
  assert.equal(
    balances.filter((balance) => balance !== 0),
    [700],
  );
  const winner = by[balances.indexOf(700)];
  const row = await rowOf(code);
  assert.equal([row.status, row.used_user_id, row.redeemed_time], [3, winner?.user.id, harness.world.clock.seconds]);
  const { logs } = harness.world.database.stores;
  const { items } = await logs.list({ userId: winner?.user.id ?? 0 }, { offset: 0, limit: 9 });
  assert.equal(
    items.map(({ type, quota }) => [type, quota]),
    [[1, 700]],
  );
});

codes('that are gifts give as many credits as they allow, once to each user', async () => {
  const by = await users(20);
  const code = await make({ quota: 300, is_gift: true, max_uses: 12 });
  const outcomes = await redeemAll(code, [...by, ...by, ...by]);
  assert.is(outcomes.credited, 12);
  const balances = await Promise.all(by.map(balanceOf));
  assert.is(balances.filter((balance) => balance === 300).length, 12);
  assert.is(balances.filter((balance) => balance === 0).length, 8);
  const row = await rowOf(code);
  assert.equal([row.status, row.used_count, row.used_user_id], [3, 12, 0]);
  const uses = await admin.redemptions.uses({ id: row.id, page_size: 5 });
  assert.equal([uses.total, uses.items.length, uses.items[0]?.quota], [12, 5, 300]);
  assert.match(uses.items[0]?.username ?? '', /^user\d+$/);
});

codes('that are gifts without a limit refuse a second use by the same user alone', async () => {
  const [user, other] = await users(2);
  if (!user || !other) throw new Error('no users');
  const code = await make({ is_gift: true });
  assert.equal(await harness.client(user).redemptions.redeem({ key: code }), { quota: 1000, is_gift: true });
  await assertRefused(harness.client(user).redemptions.redeem({ key: code }), 'gift_repeat');
  assert.is((await harness.client(other).redemptions.redeem({ key: code })).quota, 1000);
  assert.equal([await balanceOf(user), await balanceOf(other)], [1000, 1000]);
});

codes('outside their time, disabled, deleted or unknown credit nothing', async () => {
  const user = await harness.addUser();
  const client = harness.client(user);
  const { clock } = harness.world;
  const start = clock.seconds + 100;
  const window = await make({ valid_from: start, valid_until: start + 100, is_gift: true });
  clock.seconds = start - 1;
  await assertRefused(client.redemptions.redeem({ key: window }), 'redeem_not_yet');
  for (const second of [start, start + 100]) {
    clock.seconds = second;
    const { quota } = await harness.client(await harness.addUser()).redemptions.redeem({ key: window });
    assert.is(quota, 1000, 'in its first second, and in its last');
  }
  clock.seconds = start + 101;
  await assertRefused(client.redemptions.redeem({ key: window }), 'redeem_expired');
  for (const is_gift of [true, false]) {
    const code = await make({ is_gift });
    const { id } = await rowOf(code);
    await admin.redemptions.update({ id, status: 2, status_only: 'true' });
    await assertRefused(client.redemptions.redeem({ key: code }), 'redeem_invalid');
    await admin.redemptions.update({ id, status: 1, status_only: 'true' });
    await admin.redemptions.delete({ id });
    await assertRefused(client.redemptions.redeem({ key: code }), 'redeem_invalid');
  }
  await assertRefused(client.redemptions.redeem({ key: '  ' }), 'redeem_empty');
  assert.is(await balanceOf(user), 0);
});

codes('pay the inviter of whoever redeems them, gifts too', async () => {
  await set({ RebateEnabled: 'true', RebatePercentage: '3.3' });
  const inviter = await harness.addUser();
  const user = await harness.addUser({ inviterId: inviter.user.id });
  await harness.client(user).redemptions.redeem({ key: await make({ quota: 1001 }) });
  await harness.client(user).redemptions.redeem({ key: await make({ quota: 1001, is_gift: true }) });
  // floor(1001 × 33 / 1000) each.
  assert.equal([await balanceOf(user), await balanceOf(inviter)], [2002, 66]);
  await harness.world.database.stores.users.update(inviter.user.id, { status: 2 });
  await harness.client(user).redemptions.redeem({ key: await make({ quota: 1001 }) });
  assert.equal([await balanceOf(user), await balanceOf(inviter)], [3003, 66], 'a disabled inviter gets nothing');
  const gone = await harness.addUser();
  const orphan = await harness.addUser({ inviterId: gone.user.id });
  await harness.world.database.stores.users.softDelete(gone.user.id, new Date());
  await harness.client(orphan).redemptions.redeem({ key: await make({ quota: 1001 }) });
  assert.equal([await balanceOf(orphan), await balanceOf(gone)], [1001, 0], 'nor does one who was deleted');
  const full = await harness.addUser();
  await admin.users.manage({ id: full.user.id, action: 'add_quota', mode: 'override', value: Number.MAX_SAFE_INTEGER });
  const invited = await harness.addUser({ inviterId: full.user.id });
  await harness.client(invited).redemptions.redeem({ key: await make({ quota: 1001 }) });
  assert.equal([await balanceOf(invited), await balanceOf(full)], [1001, Number.MAX_SAFE_INTEGER]);
  await set({ RebateEnabled: 'false' });
  await harness.world.database.stores.users.update(inviter.user.id, { status: 1 });
  await harness.client(user).redemptions.redeem({ key: await make({ quota: 1001 }) });
  assert.equal([await balanceOf(user), await balanceOf(inviter)], [4004, 66], 'nobody does while rebates are off');
});

codes('change while they are unused, and never afterwards', async () => {
  const code = await make({ is_gift: true, max_uses: 5 });
  const { id } = await rowOf(code);
  const [first, second] = await users(2);
  if (!first || !second) throw new Error('no users');
  await redeemAll(code, [first, second]);
  await assertRefused(admin.redemptions.update({ id, max_uses: 1 }), 'redemption_max_uses_invalid');
  const changed = await admin.redemptions.update({ id, name: 'renamed', quota: 7, max_uses: 2 });
  assert.equal([changed.name, changed.quota, changed.max_uses], ['renamed', 7, 2]);
  const { id: disabledId } = await rowOf(await make());
  await admin.redemptions.disableBatch({ ids: [disabledId] });
  await assertRefused(admin.redemptions.update({ id: disabledId, quota: 9 }), 'redemption_used_readonly');
  const used = await make();
  await harness.client(first).redemptions.redeem({ key: used });
  const { id: usedId } = await rowOf(used);
  await assertRefused(admin.redemptions.update({ id: usedId, quota: 9 }), 'redemption_used_readonly');
  await assertRefused(
    admin.redemptions.update({ id: usedId, status: 1, status_only: '1' }),
    'redemption_used_readonly',
  );
  assert.is(await admin.redemptions.disableBatch({ ids: [usedId] }), 0);
  assert.is((await rowOf(used)).status, 3);
  await assertRefused(admin.redemptions.update({ id, status: 3, status_only: '1' }), 'invalid_params');
  await assertRefused(admin.redemptions.get({ id: 999_999 }), 'redemption_not_found');
});

codes('are disabled, counted and deleted in numbers', async () => {
  const made = await admin.redemptions.create({ name: 'numbers', quota: 5, count: 6 });
  const rows = (await admin.redemptions.list({ name: 'numbers' })).items;
  assert.is(rows.length, made.length);
  assert.is(await admin.redemptions.disableBatch({ ids: rows.slice(0, 2).map(({ id }) => id) }), 2);
  assert.is((await admin.redemptions.list({ name: 'numbers', status: 2 })).total, 2);
  assert.is((await admin.redemptions.list({ name: 'number' })).total, 0);
  assert.is((await admin.redemptions.search({ keyword: 'number' })).total, 6);
  assert.is((await admin.redemptions.search({ keyword: 'numb%' })).total, 0);
  const [batch] = (await admin.redemptions.batches({ keyword: 'NUMB' })).items;
  assert.equal([batch?.name, batch?.codes, batch?.unused, batch?.disabled], ['numbers', 6, 4, 2]);
  assert.ok((await admin.redemptions.deleteDisabled()) >= 2);
  assert.is(await admin.redemptions.countByName({ name: 'numbers' }), 4);
  assert.is(await admin.redemptions.deleteByName({ name: 'numbers' }), 4);
  await assertRefused(admin.redemptions.deleteByName({ name: ' ' }), 'redemption_name_required');
  await assertRefused(admin.redemptions.disableBatch({ ids: [] }), 'redemption_ids_required');
});

codes('stand in the audit trail when they are made, changed, switched or deleted, never with their text', async () => {
  const { audits } = harness.world.database.stores;
  const kept = await audits.list({}, { offset: 0, limit: 1 });
  const text = await make({ name: 'audited', quota: 1000 });
  const { id } = await rowOf(text);
  await admin.redemptions.update({ id, name: 'audited', quota: 9000 });
  await admin.redemptions.update({ id, status_only: 'true', status: 2 });
  await admin.redemptions.update({ id, status_only: 'true', status: 1 });
  await admin.redemptions.disableBatch({ ids: [999_999, id, id] });
  await admin.redemptions.delete({ id });
  await make({ name: 'audited' });
  await admin.redemptions.deleteByName({ name: 'audited' });
  assert.is(await admin.redemptions.deleteByName({ name: 'nothing of it' }), 0);
  const { items, total } = await audits.list({}, { offset: 0, limit: 20 });
  const rows = items.slice(0, total - kept.total).reverse();
  assert.equal(
    rows.map(({ action, target, detail }) => [action, target, JSON.parse(detail)]),
    [
      ['redemption.create', 'redemption', { name: 'audited', count: 1, quota: 1000 }],
      ['redemption.update', `redemption:${id}`, { old: '{"quota":1000}', new: '{"quota":9000}' }],
      ['redemption.disable', `redemption:${id}`, {}],
      ['redemption.enable', `redemption:${id}`, {}],
      ['redemption.disable', 'redemption', { ids: [id], count: 1 }],
      ['redemption.delete', `redemption:${id}`, { name: 'audited', quota: 9000 }],
      ['redemption.create', 'redemption', { name: 'audited', count: 1, quota: 1000 }],
      ['redemption.delete', 'redemption', { name: 'audited', count: 1 }],
    ],
  );
  assert.not.match(JSON.stringify(rows), text);
});

codes('are counted by name, the name of the newest first, uses of gifts too', async () => {
  await admin.redemptions.create({ name: 'batch-a', quota: 5, count: 2 });
  const [single = ''] = await admin.redemptions.create({ name: 'batch-b', quota: 7 });
  const gift = await make({ name: 'batch-a', quota: 9, is_gift: true, max_uses: 5 });
  const two = await users(2);
  assert.equal(await redeemAll(gift, two), { credited: 2 });
  assert.equal(await redeemAll(single, two.slice(0, 1)), { credited: 1 });
  const { items, total } = await admin.redemptions.batches({ keyword: 'batch-' });
  assert.is(total, 2);
  const [first, second] = items.map(({ created_time, ...row }) => ({ ...row, isDated: created_time > 0 }));
  const figures = { disabled: 0, isDated: true };
  assert.equal(first, {
    ...figures,
    name: 'batch-a',
    codes: 3,
    unused: 3,
    used: 0,
    used_count: 2,
    least_quota: 5,
    most_quota: 9,
  });
  assert.equal(second, {
    ...figures,
    name: 'batch-b',
    codes: 1,
    unused: 0,
    used: 1,
    used_count: 1,
    least_quota: 7,
    most_quota: 7,
  });
  const nextPage = await admin.redemptions.batches({ keyword: 'batch-', page: 2, page_size: 1 });
  assert.equal([nextPage.total, nextPage.items.map(({ name }) => name)], [2, ['batch-b']]);
  assert.is((await admin.redemptions.batches({ keyword: 'atch' })).total, 0);
});

codes('are handed out as text, CSV and JSON, and no name runs in a spreadsheet', async () => {
  const [code = ''] = await admin.redemptions.create({ name: '=1+1,"a"', quota: 5 });
  const file = async (format: 'text' | 'csv' | 'json' | 'ndjson') => {
    const response = await admin.redemptions.export({ name: '=1+1,"a"', format });
    return { type: response.headers.get('content-type'), text: await response.text() };
  };
  assert.equal(await file('text'), { type: 'text/plain; charset=utf-8', text: `${code}\n` });
  assert.is(
    (await file('csv')).text,
    `code,name,quota,status,is_gift,max_uses,used_count,valid_from,valid_until\n${code},"'=1+1,""a""",5,1,false,-1,0,0,0\n`,
  );
  const [row] = JSON.parse((await file('json')).text);
  assert.equal([row.key, row.name], [code, '=1+1,"a"']);
  assert.is(JSON.parse((await file('ndjson')).text).key, code);
});

codes('cannot be guessed: an address that tries ten wrong ones waits, whatever it tries next', async () => {
  const [user, other] = await users(2);
  if (!user || !other) throw new Error('no users');
  const from = (who: TestUser, address: string) =>
    harness.client(who, {
      fetch: (url, init) => {
        const headers = new Headers(init.headers);
        headers.set('X-Forwarded-For', address);
        return fetch(url, { ...init, headers });
      },
    });
  const guesser = from(user, '203.0.113.9');
  const code = await make();
  for (let tries = 0; tries < 10; tries += 1) {
    await assertRefused(guesser.redemptions.redeem({ key: `guess-${tries}` }), 'redeem_invalid');
  }
  const { code: refusal, status, retryAfter } = await refusalOf(guesser.redemptions.redeem({ key: code }));
  assert.equal([refusal, status], ['too_many_requests', 429]);
  assert.ok(retryAfter !== undefined && retryAfter > 3000 && retryAfter <= 3600);
  await assertRefused(from(other, '203.0.113.9').redemptions.redeem({ key: code }), 'too_many_requests');
  assert.is((await from(user, '203.0.113.10').redemptions.redeem({ key: code })).quota, 1000);
});

codes.run();
