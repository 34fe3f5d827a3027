import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { chineseSpentBudget } from '../../../daemon/contract/budget-reasons.ts';
import { TollgateError } from '../../../daemon/errors.ts';
import type { BudgetRecord } from '../../../daemon/store/budgets.ts';
import { aDay, call, codeOf, list, midnight, world } from '../../support/budget-world.ts';
import { isRefusal } from '../../support/refusal-code.ts';

const test = suite('budgets by the period, as calls meet them');

/** What one background read takes. */
const settled = () => new Promise((resume) => setImmediate(() => setImmediate(resume)));

test('waits for the books once, and never again while the budget is in use', async () => {
  const { table, clock, node } = world();
  const book = node('a');
  assert.instance(book.take(call(aDay('requests', 5))), Promise);
  await settled();
  for (let second = 0; second < 3; second += 1) {
    clock.nowMs += 1500;
    assert.not.instance(book.take(call(aDay('requests', 9))), Promise);
    await settled();
  }
  assert.is(table.reads, 4, 'once to wait for, then behind calls, a second apart');
});

test('keeps what running calls are expected to take, and gives back what they do not spend', async () => {
  const { node } = world();
  const book = node('a');
  const budget = aDay('quota', 25);
  const first = await book.take(call(budget));
  const second = await book.take(call(budget));
  assert.is(await codeOf(() => book.take(call(budget))), 'budget_exceeded', '20 of 25 are kept');
  assert.equal(
    second.spent({ quota: 3, tokens: 0 }).map(({ amount }) => amount),
    [3],
  );
  const third = await book.take(call(budget));
  first.left();
  first.left();
  first.soFar({ quota: 25, tokens: 0 });
  third.left();
  assert.equal(third.spent({ quota: 9, tokens: 9 }), [], 'a call that has left has nothing to spend');
  assert.is(await codeOf(() => book.take(call(budget, { quota: 22 }))), 'kept');
});

test('counts calls that were answered once each, however many are tried', async () => {
  const { node } = world();
  const book = node('a');
  const budget = aDay('requests', 2);
  const tried = await book.take(call(budget));
  tried.left();
  for (const sums of [1, 2]) {
    const place = await book.take(call(budget));
    assert.equal(
      place.spent({ quota: sums, tokens: sums }).map(({ amount }) => amount),
      [1],
    );
    assert.equal(place.spent({ quota: sums, tokens: sums }), []);
    place.left();
  }
  assert.is(await codeOf(() => book.take(call(budget))), 'budget_exceeded');
});

test('asks for room for the prompt alone where tokens are counted, and learns what a session has come to', async () => {
  const { node } = world();
  const book = node('a');
  const budget = aDay('tokens', 24);
  const place = await book.take(call(budget));
  place.soFar({ quota: 0, tokens: 14 });
  const next = await book.take(call(budget, { tokens: () => ({ prompt: 9, answer: 500 }) }));
  next.left();
  place.soFar({ quota: 0, tokens: 16 });
  assert.is(await codeOf(() => book.take(call(budget))), 'budget_exceeded');
});

test('keeps room for the answer too where there is some, and for all that was expected until the call has ended', async () => {
  const { node } = world();
  const book = node('a');
  const first = await book.take(call(aDay('tokens', 24)));
  first.soFar({ quota: 0, tokens: 3 });
  assert.is(
    await codeOf(() => book.take(call(aDay('tokens', 24)))),
    'budget_exceeded',
    '15 are kept, and 10 asked for',
  );
  first.spent({ quota: 0, tokens: 3 });
  assert.is(await codeOf(() => book.take(call(aDay('tokens', 24)))), 'kept');
});

test('refuses by the budget that is spent for longest, also what is expected to take nothing', async () => {
  const book = world().node('a');
  const [token, user] = [
    { id: 7, budgets: list({ kind: 'tokens', per: 'month', limit: 9 }) },
    { id: 1, budgets: aDay('tokens', 9) },
  ];
  const short = call('[]', { token, user, tokens: () => ({ prompt: 0, answer: 0 }) });
  (await book.take(short)).spent({ quota: 0, tokens: 9 });
  const error = await Promise.resolve()
    .then(() => book.take(short))
    .catch((cause: unknown) => cause);
  assert.is(error instanceof TollgateError && error.retryAfterSeconds, 8 * 86_400 + 3600);
});

test('lets a session go on that took the last of its calls', async () => {
  const session = await world()
    .node('a')
    .take(call(aDay('requests', 1)));
  session.soFar({ quota: 900, tokens: 900 });
  session.expectMore();
});

test('stops a session at the end of a budget that it and others came to, until the next period begins', async () => {
  const { clock, node } = world();
  for (const kind of ['quota', 'tokens'] as const) {
    clock.nowMs = midnight - 3_600_000;
    const book = node('a');
    const budget = aDay(kind, 25);
    (await book.take(call(budget))).spent({ quota: 10, tokens: 10 });
    const session = await book.take(call(budget));
    session.soFar({ quota: 14, tokens: 14 });
    session.expectMore();
    session.soFar({ quota: 15, tokens: 15 });
    assert.throws(() => session.expectMore(), isRefusal('budget_exceeded'), kind);
    clock.nowMs = midnight;
    session.expectMore();
  }
});

test('keeps what a session has come to once, however often it says so', async () => {
  const book = world().node('a');
  const budget = aDay('quota', 50);
  const session = await book.take(call(budget));
  for (const quota of [20, 20, 20]) session.soFar({ quota, tokens: 0 });
  const other = await book.take(call(budget, { quota: 30 }));
  other.left();
  session.left();
  assert.is(await codeOf(() => book.take(call(budget, { quota: 50 }))), 'kept');
});

test('asks the books first again after a minute without calls: others may have spent it all', async () => {
  const { clock, node } = world();
  const [book, other] = [node('a'), node('b')];
  const budget = aDay('requests', 9);
  (await book.take(call(budget))).left();
  await other.take(call(budget));
  clock.nowMs += 60_000;
  assert.not.instance(book.take(call(budget)), Promise);
  await settled();
  clock.nowMs += 60_001;
  assert.instance(book.take(call(budget)), Promise);
});

test('names the tightest budget, whose it is, and the time at which it begins anew', async () => {
  const { node } = world();
  const book = node('a');
  const both = call(aDay('quota', 100), { user: { id: 1, budgets: list({ kind: 'quota', per: 'month', limit: 5 }) } });
  const error = await Promise.resolve(book.take(both)).catch((cause: unknown) => cause);
  assert.instance(error, TollgateError);
  if (!(error instanceof TollgateError)) return;
  assert.is(error.params.reason, '$5 quota per month of this account, which begins anew at 2026-12-01 00:00 (UTC)');
  assert.is(error.retryAfterSeconds, (Date.parse('2026-12-01T00:00:00Z') - midnight) / 1000 + 3600);
  assert.is(
    await codeOf(() => book.take(call(aDay('quota', 100), { quota: 100 }))),
    'kept',
    'the key has lost nothing',
  );
});

test('begins anew at midnight, and books what ends after it to the day in which it began', async () => {
  const { clock, node } = world();
  const book = node('a');
  const budget = aDay('quota', 10);
  const late = await book.take(call(budget));
  clock.nowMs = midnight - 1;
  assert.is(await codeOf(() => book.take(call(budget))), 'budget_exceeded');
  clock.nowMs = midnight;
  const next = await book.take(call(budget));
  const yesterday = (midnight - 86_400_000) / 1000;
  assert.equal(
    late.spent({ quota: 8, tokens: 0 }).map(({ startsAt, amount }) => [startsAt, amount]),
    [[yesterday, 8]],
  );
  assert.equal(next.spent({ quota: 2, tokens: 0 })[0]?.startsAt, midnight / 1000);
  assert.is(await codeOf(() => book.take(call(budget, { quota: 8 }))), 'kept', 'yesterday takes nothing of today');
});

test('learns within a second what another node has settled', async () => {
  const { table, clock, node } = world();
  const [one, other] = [node('a'), node('b')];
  const budget = aDay('requests', 3);
  await Promise.all([one, other].map(async (book) => (await book.take(call(budget))).left()));
  for (let at = 0; at < 3; at += 1) table.uses.push(...(await one.take(call(budget))).spent({ quota: 0, tokens: 0 }));
  assert.is(await codeOf(() => one.take(call(budget))), 'budget_exceeded');
  clock.nowMs += 1000;
  (await other.take(call(budget))).left();
  await settled();
  assert.is(await codeOf(() => other.take(call(budget))), 'budget_exceeded');
  clock.nowMs += 120_000;
  assert.is(await codeOf(() => node('c').take(call(budget))), 'budget_exceeded', 'a node that starts reads first');
});

test('reads again before it sends anybody away, since a task that failed may have given back what is missing', async () => {
  const { table, clock, reports, node } = world();
  const book = node('a');
  const budget = aDay('quota', 25);
  table.uses.push(...(await book.take(call(budget))).spent({ quota: 20, tokens: 0 }));
  clock.nowMs += 1000;
  assert.is(await codeOf(() => book.take(call(budget))), 'budget_exceeded');
  table.uses.push(...table.uses.map((use) => ({ ...use, node: 'refunds', amount: -20 })));
  const reads = table.reads;
  assert.is(await codeOf(() => book.take(call(budget))), 'budget_exceeded');
  assert.is(table.reads, reads, 'once a second at most');
  clock.nowMs += 1000;
  assert.is(await codeOf(() => book.take(call(budget, { quota: 25 }))), 'kept');
  table.isAway = true;
  clock.nowMs += 1000;
  assert.is(await codeOf(() => book.take(call(budget, { quota: 26 }))), 'budget_exceeded');
  assert.is(reports.length, 1, 'what is known holds while the database is away');
});

test('takes up its own count where it has forgotten it, and never counts a call twice', async () => {
  const { table, clock, node } = world();
  const budget = aDay('quota', 100);
  const before = node('a');
  table.uses.push(...(await before.take(call(budget))).spent({ quota: 60, tokens: 0 }));
  clock.nowMs += 5000;
  const again = await before.take(call(budget, { quota: 40 }));
  await settled();
  again.left();
  assert.is(await codeOf(() => before.take(call(budget, { quota: 40 }))), 'kept');
  const after = node('a');
  assert.is(await codeOf(() => after.take(call(budget, { quota: 41 }))), 'budget_exceeded');
});

test('reads what others have taken of a budget that is added, and goes on counting under a limit that is changed', async () => {
  const { table, node } = world();
  const book = node('a');
  const calls: BudgetRecord = { kind: 'requests', per: 'day', limit: 3 };
  const quota: BudgetRecord = { kind: 'quota', per: 'day', limit: 30 };
  (await book.take(call(list(calls)))).spent({ quota: 10, tokens: 1 });
  const elsewhere = await node('b').take(call(list(calls, quota)));
  table.uses.push(...elsewhere.spent({ quota: 25, tokens: 1 }));
  assert.is(await codeOf(() => book.take(call(list(calls, quota)))), 'budget_exceeded');
  const other = node('c');
  (await other.take(call(list(calls)))).spent({ quota: 10, tokens: 1 });
  assert.is(await codeOf(() => other.take(call(list({ ...calls, limit: 1 })))), 'budget_exceeded');
});

test('goes on with what it knows while the database is away, and refuses who it has never met', async () => {
  const { table, clock, reports, node } = world();
  const book = node('a');
  const budget = aDay('requests', 2);
  (await book.take(call(budget))).spent({ quota: 0, tokens: 0 });
  table.isAway = true;
  clock.nowMs += 2000;
  assert.is(await codeOf(() => book.take(call(budget))), 'kept');
  await settled();
  assert.is(reports.length, 1);
  assert.is(await codeOf(() => book.take(call(budget))), 'budget_exceeded');
  assert.is(await codeOf(() => book.take(call(budget, { token: { id: 8, budgets: budget } }))), 'db_unavailable');
});

test('closes a channel until its next period, and knows after a start what it has spent', async () => {
  const { table, clock, node } = world();
  const channel = {
    id: 3,
    budgets: list({ kind: 'requests', per: 'hour', limit: 1 }, { kind: 'quota', per: 'day', limit: 50 }),
  };
  const book = node('a');
  assert.is(book.spentMs({ id: 3, budgets: '[]' }), 0);
  assert.is(book.spentOn({ id: 3, budgets: '[]' }, { quota: 5, tokens: 5 }), undefined);
  assert.is(book.spentMs(channel), 0);
  clock.nowMs = midnight - 5_400_000;
  table.uses.push(...(book.spentOn(channel, { quota: 5, tokens: 5 }) ?? []));
  assert.is(book.spentMs(channel), 1_800_000);
  const restarted = node('a');
  await restarted.learn([{ record: channel }]);
  assert.is(restarted.spentMs(channel), 1_800_000);
  clock.nowMs += 1_800_000;
  assert.is(restarted.spentMs(channel), 0);
  table.uses.push(...(restarted.spentOn(channel, { quota: 45, tokens: 5 }) ?? []));
  assert.is(restarted.spentMs(channel), 3_600_000, 'the day is spent, too');
});

test('closes a channel for as long as a session runs that has come to all of its budget', async () => {
  const book = world().node('a');
  const channel = { id: 3, budgets: aDay('quota', 100) };
  await book.learn([{ record: channel }]);
  const place = book.keepOn(channel, call('[]'));
  assert.is(book.spentMs(channel), 0);
  place?.soFar({ quota: 100, tokens: 0 });
  assert.is(book.spentMs(channel), 1000, 'what runs may yet fail');
  place?.left();
  assert.is(book.spentMs(channel), 0);
});

test('keeps of the budget of a channel no more than there is room for', () => {
  const book = world().node('a');
  const channel = { id: 3, budgets: aDay('quota', 100) };
  const [first] = [60, 100].map((quota) => book.keepOn(channel, call('[]', { quota })));
  assert.is(book.spentMs(channel), 1000, 'all of it is kept');
  first?.left();
  assert.is(book.spentMs(channel), 0, '40 of 100 are kept');
});

test('says to come back soon where running calls alone leave no room, and with the next period once it is spent', async () => {
  const { node } = world();
  const book = node('a');
  const budget = aDay('quota', 25);
  const running = [await book.take(call(budget)), await book.take(call(budget))];
  const refusal = () => {
    try {
      void book.take(call(budget));
    } catch (error) {
      if (error instanceof TollgateError) return [error.retryAfterSeconds, String(error.params.reason)];
    }
    return 'kept';
  };
  const held = '$25 quota per day of this key, held in part by requests that still run';
  assert.equal(refusal(), [1, `${held}, which begins anew at 2026-11-23 00:00 (UTC)`]);
  assert.is(
    chineseSpentBudget(String(refusal()[1])),
    '该令牌每天 $25 额度，其中一部分由进行中的请求占用，将于 2026-11-23 00:00 (UTC) 重置',
  );
  for (const each of running) each.spent({ quota: 8, tokens: 0 });
  assert.equal(refusal(), [3600, '$25 quota per day of this key, which begins anew at 2026-11-23 00:00 (UTC)']);
});

test('learns what a call took of a budget that was deleted and set again while it ran', async () => {
  const { table, clock, node } = world();
  const book = node('a');
  const budget = aDay('requests', 1);
  const running = await book.take(call(budget));
  const between = await book.take(call(aDay('tokens', 1000)));
  // A budget that is new again knows nothing of what runs.
  (await book.take(call(budget))).left();
  table.uses.push(...running.spent({ quota: 1, tokens: 1 }));
  between.left();
  clock.nowMs += 1500;
  (await book.take(call(budget))).left();
  await settled();
  assert.is(await codeOf(() => book.take(call(budget))), 'budget_exceeded');
});

test('keeps count of calls that began while a reading crossed midnight', async () => {
  const { table, clock, node } = world();
  const book = node('a');
  const budget = aDay('requests', 1);
  clock.nowMs = midnight - 1500;
  (await book.take(call(budget))).left();
  clock.nowMs = midnight - 100;
  let answer: () => void = () => undefined;
  const asked = new Promise<void>((resume) => {
    table.sums = () => {
      resume();
      return new Promise((resolve) => {
        answer = () => resolve([]);
      });
    };
  });
  (await book.take(call(budget))).left();
  await asked;
  clock.nowMs = midnight + 100;
  const today = await book.take(call(budget));
  answer();
  await settled();
  assert.is(await codeOf(() => book.take(call(budget))), 'budget_exceeded', 'the call of today still runs');
  today.left();
});

test('names of several spent budgets, of key and account, the one that begins anew last', async () => {
  const { node } = world();
  const book = node('a');
  const per = (period: BudgetRecord['per'], limit = 1): BudgetRecord => ({ kind: 'requests', per: period, limit });
  const spent = call(list(per('hour'), per('week'), per('day')), { user: { id: 1, budgets: list(per('hour')) } });
  (await book.take(spent)).spent({ quota: 1, tokens: 1 });
  // A Sunday's last hour ends all but the month.
  const later = { ...spent, user: { id: 1, budgets: list(per('hour'), per('month')) } };
  (await book.take({ ...later, token: undefined, user: { id: 1, budgets: list(per('month')) } })).spent({
    quota: 1,
    tokens: 1,
  });
  const refused = await Promise.resolve()
    .then(() => book.take(later))
    .catch((error: unknown) => error);
  assert.instance(refused, TollgateError);
  assert.match(String(refused instanceof TollgateError && refused.params.reason), /per month of this account/);
  assert.is(refused instanceof TollgateError && refused.retryAfterSeconds, 8 * 86_400 + 3600);
});

test.run();
