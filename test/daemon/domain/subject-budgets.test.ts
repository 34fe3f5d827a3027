/** What a node knows of the periods of a budget: which sums are its own, what running calls keep, and what is forgotten. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TollgateError } from '../../../daemon/errors.ts';
import { aDay, call, codeOf, midnight, world } from '../../support/budget-world.ts';

const test = suite('budgets of one subject');

/** What one background read takes. */
const settled = () => new Promise((resume) => setImmediate(() => setImmediate(resume)));

const refusalOf = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    if (error instanceof TollgateError) return [error.retryAfterSeconds, String(error.params.reason)];
  }
  return 'nothing refused';
};

test('counts the calls of the very first millisecond of a period to it', async () => {
  const { clock, node } = world();
  const book = node('a');
  clock.nowMs = midnight;
  await book.take(call(aDay('requests', 1)));
  assert.is(await codeOf(() => book.take(call(aDay('requests', 1)))), 'budget_exceeded');
});

test('does not take the sums of the first day of the month for those of today', async () => {
  const { table, node } = world();
  const use = { subject: 'token', subjectId: 7, kind: 'requests', per: 'day', node: 'b', amount: 5 } as const;
  table.uses.push({ ...use, startsAt: Date.parse('2026-11-01T00:00:00Z') / 1000 });
  assert.is(await codeOf(node('a').take(call(aDay('requests', 1)))), 'kept');
});

test('keeps one of a number of calls for each that runs', async () => {
  const book = world().node('a');
  const budget = aDay('requests', 3);
  for (const running of [1, 2, 3]) assert.is(await codeOf(() => book.take(call(budget))), 'kept', `call ${running}`);
  assert.is(await codeOf(() => book.take(call(budget))), 'budget_exceeded');
});

test('keeps for an answer no more than is left, so that what others give back can be taken', async () => {
  const book = world().node('a');
  const budget = aDay('tokens', 24);
  const first = await book.take(call(budget));
  // 15 of 24 are kept; this one would like 500 more.
  await book.take(call(budget, { tokens: () => ({ prompt: 9, answer: 500 }) }));
  first.left();
  assert.is(await codeOf(() => book.take(call(budget, { tokens: () => ({ prompt: 15, answer: 0 }) }))), 'kept');
});

test('lets a session go on that has come to nothing yet', async () => {
  const session = await world()
    .node('a')
    .take(call(aDay('quota', 1), { quota: 1 }));
  session.expectMore();
});

test('stops a session within a second of another node spending the rest of its budget, until the next period', async () => {
  const { table, clock, node } = world();
  const budget = aDay('tokens', 100);
  const [book, other] = [node('a'), node('b')];
  (await book.take(call(budget))).spent({ quota: 0, tokens: 10 });
  const session = await book.take(call(budget));
  session.soFar({ quota: 0, tokens: 20 });
  table.uses.push(...(await other.take(call(budget))).spent({ quota: 0, tokens: 70 }));
  clock.nowMs += 1000;
  session.expectMore();
  await settled();
  assert.equal(
    refusalOf(() => session.expectMore()),
    [3599, '100 tokens per day of this key, which begins anew at 2026-11-23 00:00 (UTC)'],
  );
});

test('closes a channel within a second of another node spending the rest of its budget', async () => {
  const { table, clock, node } = world();
  const channel = { id: 3, budgets: aDay('requests', 1) };
  const [book, other] = [node('a'), node('b')];
  assert.is(book.spentMs(channel), 0);
  await settled();
  table.uses.push(...(other.spentOn(channel, { quota: 1, tokens: 1 }) ?? []));
  clock.nowMs += 1000;
  assert.is(book.spentMs(channel), 0, 'asked behind this call');
  await settled();
  assert.is(book.spentMs(channel), 3_599_000);
});

test('asks a database that is away once a second, however many calls come', async () => {
  const { table, clock, node } = world();
  const channel = { id: 3, budgets: aDay('requests', 100) };
  const book = node('a');
  table.isAway = true;
  for (const reads of [1, 2]) {
    for (let asked = 0; asked < 5; asked += 1) {
      book.spentMs(channel);
      await settled();
    }
    assert.is(table.reads, reads);
    clock.nowMs += 1000;
  }
});

test('forgets of fifty thousand channels the one known longest to which no running call belongs', () => {
  const book = world().node('a');
  const channel = (id: number) => ({ id, budgets: aDay('requests', 1) });
  book.keepOn(channel(1), call('[]'));
  book.spentOn(channel(2), { quota: 1, tokens: 1 });
  for (let id = 3; id <= 50_000; id += 1) book.spentOn(channel(id), { quota: 1, tokens: 1 });
  assert.ok(book.spentMs(channel(2)) > 0);
  book.spentMs(channel(50_001));
  assert.ok(book.spentMs(channel(1)) > 0, 'its call still runs');
  assert.ok(book.spentMs(channel(3)) > 0);
  // Known anew, and to be read.
  assert.is(book.spentMs(channel(2)), 0);
});

test.run();
