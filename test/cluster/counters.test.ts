import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Counters } from '../../daemon/cluster/counters.ts';
import { type ClusterNode, RevisionTable, startNode } from '../support/cluster-world.ts';
import { sharedRedisUrl } from '../support/engines.ts';
import { inOneGo } from '../support/until.ts';

/** What both implementations must do; each case gets keys of its own. */
function counterSuite(name: string, open: () => Promise<ClusterNode>): void {
  const test = suite<{ node: ClusterNode; counters: Counters }>(`counters ${name}`);

  test.before(async (context) => {
    context.node = await open();
    context.counters = context.node.counters;
  });
  test.after(async ({ node }) => {
    assert.not.ok(node.reports.includes('redis lost'), 'no command failed');
    await node.stop();
  });

  test('lets as many into a window as the limit says, and tells how many are left', async ({ counters }) => {
    const window = { limit: 2, windowMs: 60_000 };
    const first = await counters.slide('fill', window);
    assert.is(first.allowed, true);
    assert.is(first.remaining, 1);
    assert.is((await counters.slide('fill', window)).remaining, 0);
    const refused = await counters.slide('fill', window);
    assert.equal({ ...refused, resetMs: 0 }, { allowed: false, remaining: 0, resetMs: 0, member: '' });
    assert.ok(refused.resetMs > 59_000 && refused.resetMs <= 60_000, String(refused.resetMs));
    assert.is((await counters.slide('other', window)).allowed, true);
  });

  test('opens again when the oldest entry has left, not later for calls it refused', async ({ counters }) => {
    const window = { limit: 1, windowMs: 150 };
    const { key, refused } = await inOneGo(window.windowMs, async (attempt) => {
      const key = `slide ${attempt}`;
      const refused: boolean[] = [];
      await counters.slide(key, window);
      for (let at = 0; at < 3; at += 1) {
        await sleep(20);
        refused.push(!(await counters.slide(key, window)).allowed);
      }
      return { key, refused };
    });
    assert.equal(refused, [true, true, true]);
    await sleep(window.windowMs - 3 * 20 + 10);
    assert.is((await counters.slide(key, window)).allowed, true);
  });

  test('gives back exactly one place, once', async ({ counters }) => {
    const window = { limit: 2, windowMs: 60_000 };
    const slot = await counters.slide('back', window);
    await counters.slide('back', window);
    await counters.giveBack('back', slot.member);
    await counters.giveBack('back', slot.member);
    await counters.giveBack('back', '');
    assert.is((await counters.slide('back', window)).allowed, true);
    assert.is((await counters.slide('back', window)).allowed, false);
  });

  test('refuses everything under a limit of zero', async ({ counters }) => {
    const refused = await counters.slide('zero', { limit: 0, windowMs: 5000 });
    assert.equal(refused, { allowed: false, remaining: 0, resetMs: 5000, member: '' });
  });

  test('waits for as many entries as a lowered limit has too many', async ({ counters }) => {
    let thirdAt = 0;
    for (let at = 0; at < 3; at += 1) {
      await sleep(25);
      thirdAt = performance.now();
      await counters.slide('lower', { limit: 3, windowMs: 60_000 });
    }
    const lowered = await counters.slide('lower', { limit: 1, windowMs: 60_000 });
    assert.is(lowered.allowed, false);
    // Two of three must leave before one may enter, so the third decides: 25 ms and more behind the second.
    assert.ok(lowered.resetMs > 60_000 - (performance.now() - thirdAt) - 5, String(lowered.resetMs));
  });

  test('draws an amount from all keys or from none, and tells what is left', async ({ counters }) => {
    const wide = { key: 'draw:wide', limit: 100, amount: 30 };
    const narrow = { key: 'draw:narrow', limit: 2, amount: 1 };
    const first = await counters.draw([wide, narrow]);
    assert.equal(
      first.slots.map(({ allowed, remaining }) => [allowed, remaining]),
      [
        [true, 70],
        [true, 1],
      ],
    );
    assert.not.equal(first.place, '');
    await counters.draw([wide, narrow]);
    const refused = await counters.draw([wide, narrow]);
    assert.is(refused.place, '');
    assert.equal(
      refused.slots.map(({ allowed, remaining }) => [allowed, remaining]),
      [
        [true, 40],
        [false, 0],
      ],
    );
    for (const { resetMs } of [...first.slots, ...refused.slots]) {
      assert.ok(resetMs > 58_000 && resetMs <= 61_000, String(resetMs));
    }
    const whole = await counters.draw([{ ...wide, amount: 40 }]);
    assert.is(whole.slots[0]?.remaining, 0);
    const never = await counters.draw([{ key: 'draw:never', limit: 5, amount: 6 }]);
    assert.is(never.slots[0]?.allowed, false);
    assert.is(never.slots[0]?.remaining, 5);
  });

  test('draws what is wished beside an amount as far as there is room', async ({ counters }) => {
    const wide = { key: 'more:wide', limit: 1000, amount: 10, more: 50 };
    const narrow = { key: 'more:narrow', limit: 30, amount: 10, more: 50 };
    const drawn = async () => (await counters.draw([wide, narrow])).slots.map((slot) => [slot.drawn, slot.remaining]);
    assert.equal(await drawn(), [
      [60, 940],
      [30, 0],
    ]);
    assert.equal(await drawn(), [
      [0, 940],
      [0, 0],
    ]);
    assert.equal((await counters.draw([{ ...narrow, amount: 0 }])).slots[0]?.drawn, 0);
  });

  test('corrects what was drawn, more and less, and never below nothing', async ({ counters }) => {
    const draw = { key: 'draw:correct', limit: 100, amount: 60 };
    const left = async () => (await counters.draw([{ ...draw, amount: 0 }])).slots[0]?.remaining;
    const { place } = await counters.draw([draw]);
    await counters.correct(place, [{ key: draw.key, difference: -50 }]);
    assert.is(await left(), 90);
    await counters.correct(place, [{ key: draw.key, difference: 200 }]);
    assert.is(await left(), 0);
    assert.is((await counters.draw([{ ...draw, amount: 1 }])).slots[0]?.allowed, false);
    await counters.correct(place, [{ key: draw.key, difference: -1000 }]);
    assert.ok((await left()) === 0 || (await left()) === 100, 'only that second is emptied');
    await counters.correct('', [{ key: draw.key, difference: 5000 }]);
    await counters.correct(place, [{ key: 'draw:unknown', difference: -5 }]);
    assert.is((await counters.draw([{ key: 'draw:unknown', limit: 5, amount: 5 }])).slots[0]?.allowed, true);
  });

  test('counts what was drawn too little from the moment on at which it is known', async ({ counters }) => {
    const [late, fresh] = ['draw:late', 'draw:fresh'].map((key) => ({ key, limit: 10, amount: 5 }));
    if (late === undefined || fresh === undefined) throw new Error('no draws');
    const { place } = await counters.draw([{ ...late, amount: 1 }]);
    await sleep(1050);
    await counters.draw([{ ...fresh, amount: 8 }]);
    await counters.correct(place, [{ key: late.key, difference: 8 }]);
    const [lateMs = 0, freshMs = 0] = (await counters.draw([late, fresh])).slots.map(({ resetMs }) => resetMs);
    assert.ok(lateMs >= freshMs, `${lateMs} ms, and ${freshMs} ms for what was drawn now`);
  });

  test('gives exactly what there is to calls that come at once', async ({ counters }) => {
    const draws = Array.from({ length: 50 }, () => counters.draw([{ key: 'draw:race', limit: 100, amount: 7 }]));
    const answers = await Promise.all(draws);
    assert.is(answers.filter(({ place }) => place !== '').length, 14);
  });

  test('takes a place in all windows or in none', async ({ counters }) => {
    const windows = [
      { key: 'both:wide', limit: 5, windowMs: 60_000 },
      { key: 'both:narrow', limit: 1, windowMs: 60_000 },
    ];
    const taken = await counters.slideAll(windows);
    assert.equal(
      taken.map(({ allowed, remaining }) => [allowed, remaining]),
      [
        [true, 4],
        [true, 0],
      ],
    );
    const refused = await counters.slideAll(windows);
    assert.equal(
      refused.map(({ allowed, remaining, member }) => [allowed, remaining, member]),
      [
        [true, 4, ''],
        [false, 0, ''],
      ],
    );
    assert.is((await counters.slide('both:wide', { limit: 5, windowMs: 60_000 })).remaining, 3);
  });

  test('lets exactly the limit through when a hundred come at once', async ({ counters }) => {
    const window = { limit: 10, windowMs: 60_000 };
    const slots = await Promise.all(Array.from({ length: 100 }, () => counters.slide('burst', window)));
    assert.is(slots.filter(({ allowed }) => allowed).length, 10);
  });

  test('counts what is running and forgets what never left', async ({ counters }) => {
    const { key, first, second, refused } = await inOneGo(60, async (attempt) => {
      const key = `run ${attempt}`;
      const first = await counters.enter(key, 2, 60_000);
      const second = await counters.enter(key, 2, 60);
      return { key, first, second, refused: await counters.enter(key, 2, 60_000) };
    });
    assert.ok(first && second);
    assert.is(refused, undefined);
    await sleep(80);
    const third = await counters.enter(key, 2, 60_000);
    assert.ok(third, 'the second has forgotten itself');
    assert.is(await counters.enter(key, 2, 60_000), undefined, 'the first has not');
    await counters.leave(key, first);
    await counters.leave(key, first);
    const fourth = await counters.enter(key, 2, 60);
    if (fourth === undefined) throw new Error('no room');
    await counters.stay(key, fourth, 60_000);
    await sleep(80);
    assert.is(await counters.enter(key, 2, 60_000), undefined, 'it said that it runs');
    const alone = await counters.enter('run alone', 1, 100);
    await counters.stay('run alone', alone ?? '', 60_000);
    await sleep(120);
    assert.is(await counters.enter('run alone', 1, 60_000), undefined, 'so does one that runs by itself');
  });

  test('keeps a value for its time and hands it out once when asked to take it', async ({ counters }) => {
    await counters.put('value', 'a', 60_000);
    assert.is(await counters.read('value'), 'a');
    assert.is(await counters.take('value'), 'a');
    assert.is(await counters.take('value'), undefined);
    await counters.put('value', 'c', 40);
    await sleep(60);
    assert.is(await counters.read('value'), undefined);
    await counters.put('value', 'd', 60_000);
    await counters.remove('value');
    assert.is(await counters.read('value'), undefined);
  });

  test('takes times that are no whole numbers', async ({ counters }) => {
    await counters.put('fraction', 'a', 0.4);
    assert.is((await counters.slide('fraction-window', { limit: 1, windowMs: 1000.5 })).allowed, true);
  });

  test.run();
}

counterSuite('in this process', () => startNode({ table: new RevisionTable() }));
counterSuite('in Redis', async () => startNode({ table: new RevisionTable(), redisUrl: await sharedRedisUrl() }));

const shared = suite('counters of two nodes');

shared('count together', async () => {
  const options = { table: new RevisionTable(), redisUrl: await sharedRedisUrl(), prefix: `test:${Math.random()}:` };
  const [one, two] = await Promise.all([startNode(options), startNode(options)]);
  const slots = await Promise.all(
    Array.from({ length: 40 }, (_, at) => (at % 2 ? one : two).counters.slide('k', { limit: 10, windowMs: 60_000 })),
  );
  assert.is(slots.filter(({ allowed }) => allowed).length, 10);
  await Promise.all([one.stop(), two.stop()]);
});

shared.run();
