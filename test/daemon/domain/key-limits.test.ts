import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MemoryCounters } from '../../../daemon/cluster/memory-counters.ts';
import { KeyLimits, type KeyPlace, type KeyRefusal, type LimitedKey } from '../../../daemon/domain/key-limits.ts';
import { formatKeyUses, type KeyUse, parseKeyUses } from '../../../daemon/domain/key-uses.ts';
import type { RateCounters } from '../../../daemon/domain/rate-limits.ts';
import { until } from '../../support/until.ts';

const test = suite('limits of keys of channels');

/** A node with a clock of its own; nodes that are given the same counters share them. */
function node(shared?: { time: { nowMs: number }; counters: RateCounters }) {
  const time = shared?.time ?? { nowMs: 5_000_500 };
  const now = () => time.nowMs;
  const counters = shared?.counters ?? new MemoryCounters({ now });
  const told: KeyUse[][] = [];
  const limits = new KeyLimits({ counters, now, tell: (uses) => told.push([...uses]) });
  return { time, counters, told, limits };
}

function key(limits: Partial<LimitedKey['limits']>): LimitedKey {
  return { id: 7, limits: { cap: 0, tpm: 0, concurrency: 0, ...limits } };
}

const tokens =
  (prompt: number, answer = 0) =>
  () => ({ prompt, answer });
const unasked = () => {
  throw new Error('nobody asks what to expect');
};

function atOnce(taken: KeyPlace | KeyRefusal | Promise<KeyPlace | KeyRefusal>): KeyPlace | KeyRefusal {
  if (taken instanceof Promise) throw new Error('without shared counters nobody waits');
  return taken;
}

function placeIn(taken: KeyPlace | KeyRefusal | Promise<KeyPlace | KeyRefusal>): KeyPlace {
  const place = atOnce(taken);
  if (place.fullMs !== undefined) throw new Error(`full for ${place.fullMs} ms`);
  return place;
}

test('lets a key be used for so many requests a minute, and knows at once that it is full', () => {
  const { limits, time } = node();
  const limited = key({ cap: 2 });
  assert.is(limits.fullMs({ limits: undefined }), 0);
  placeIn(limits.take(limited, unasked));
  assert.is(limits.fullMs(limited), 0);
  placeIn(limits.take(limited, unasked));
  assert.is(limits.fullMs(limited), 60_500, 'a second counts until a whole minute after its end');
  assert.is(atOnce(limits.take(limited, unasked)).fullMs, 60_500);
  assert.is(limits.fullMs(key({ cap: 2 })), 0, 'what was known goes with the limits as they were loaded');
  time.nowMs += 60_500;
  assert.is(limits.fullMs(limited), 0);
  placeIn(limits.take(limited, unasked));
});

test('lets so many calls of a key run at once', () => {
  const { limits } = node();
  const limited = key({ concurrency: 1 });
  const first = placeIn(limits.take(limited, unasked));
  assert.is(atOnce(limits.take(limited, unasked)).fullMs, 1000);
  assert.is(limits.fullMs(limited), 1000);
  first.left();
  first.left();
  assert.is(limits.fullMs(limited), 0);
  placeIn(limits.take(limited, unasked));
  assert.is(atOnce(limits.take(limited, unasked)).fullMs, 1000);
});

test('draws tokens as expected until it is known what was used', () => {
  const { limits, time } = node();
  const limited = key({ tpm: 100 });
  const first = placeIn(limits.take(limited, tokens(40, 512)));
  assert.is(limits.fullMs(limited), 60_500, 'of the answer as much as there is room for');
  first.used(50);
  assert.is(limits.fullMs(limited), 0);
  assert.is(atOnce(limits.take(limited, tokens(60))).fullMs, 60_500);
  assert.is(limits.fullMs(limited), 0, 'a smaller prompt has room');
  const second = placeIn(limits.take(limited, tokens(20)));
  second.used(10);
  second.used(500);
  assert.ok((atOnce(limits.take(limited, tokens(1))).fullMs ?? 0) > 60_000, 'a long answer counts when it is there');
  time.nowMs += 61_000;
  placeIn(limits.take(limited, tokens(1_000_000)));
});

test('sends a prompt that is larger than the limit in a minute that is empty', () => {
  const { limits } = node();
  const limited = key({ tpm: 100 });
  placeIn(limits.take(limited, tokens(1_000_000))).used(0);
  placeIn(limits.take(limited, tokens(1))).used(1);
  assert.is(atOnce(limits.take(limited, tokens(1_000_000))).fullMs, 60_500);
});

test('gives back what was taken for a call that was never sent', () => {
  const { limits } = node();
  const limited = key({ cap: 1, tpm: 10, concurrency: 1 });
  for (let call = 0; call < 3; call += 1) placeIn(limits.take(limited, tokens(10))).passedOver();
  placeIn(limits.take(limited, tokens(10)));
  assert.is(atOnce(limits.take(limited, tokens(10))).fullMs, 1000, 'the call that runs');
});

test('takes nothing of a minute that is full, not even a place among the calls that run', () => {
  const { limits } = node();
  const limited = key({ cap: 1, concurrency: 2 });
  const first = placeIn(limits.take(limited, unasked));
  for (let call = 0; call < 3; call += 1) assert.is(atOnce(limits.take(limited, unasked)).fullMs, 60_500);
  first.left();
});

test('holds over nodes that share their counters, and believes for a moment only what others may end', async () => {
  const { time, counters, limits: one } = node();
  const later: RateCounters = {
    draw: async (draws) => counters.draw(draws),
    correct: async (place, differences) => counters.correct(place, differences),
    enter: async (...asked) => counters.enter(...asked),
    stay: async (...asked) => counters.stay(...asked),
    leave: async (...asked) => counters.leave(...asked),
  };
  const { limits: other } = node({ time, counters: later });
  const [ofOne, ofOther] = [key({ concurrency: 1, cap: 3 }), key({ concurrency: 1, cap: 3 })];
  const running = placeIn(one.take(ofOne, unasked));
  const refused = await other.take(ofOther, unasked);
  assert.equal([refused.fullMs, other.fullMs(ofOther)], [1000, 1000]);
  running.left();
  time.nowMs += 250;
  assert.is(other.fullMs(ofOther), 0);
  for (let call = 0; call < 2; call += 1) {
    const place = await other.take(ofOther, unasked);
    if (place.fullMs !== undefined) throw new Error('full');
    place.left();
  }
  assert.is(atOnce(one.take(ofOne, unasked)).fullMs, 60_250, 'one of it, two of the other');
});

test('tells nodes with counters of their own what was used, gathered, and counts what they tell', async () => {
  const one = node();
  const other = node();
  const limited = key({ cap: 3, tpm: 100 });
  const places = [1, 2].map(() => placeIn(one.limits.take(limited, tokens(10))));
  for (const place of places) place.used(30);
  places[0]?.used(35);
  placeIn(one.limits.take(limited, tokens(1))).passedOver();
  await until(() => one.told.length > 0);
  assert.equal(one.told, [[{ id: 7, requests: 2, tokens: 65 }]]);
  for (const uses of one.told) other.limits.learn(parseKeyUses(formatKeyUses(uses)));
  assert.is(atOnce(other.limits.take(limited, tokens(36))).fullMs, 60_500);
  placeIn(other.limits.take(limited, tokens(35)));
  assert.is(atOnce(other.limits.take(limited, tokens(0))).fullMs, 60_500);
});

test('takes nothing for uses that is none', () => {
  const noUses = ['', 'x', '{}', '[1]', '[[1]]', '[["1",2,3]]', '[[1,-1,3]]', '[[1,2,1.5]]', '[null]'];
  for (const text of noUses) assert.equal(parseKeyUses(text), [], text);
  assert.equal(parseKeyUses('[[1,2,300]]'), [{ id: 1, requests: 2, tokens: 300 }]);
});

test.run();
