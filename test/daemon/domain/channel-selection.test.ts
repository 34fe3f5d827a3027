import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type ChannelPick,
  ProcessTurns,
  type Selection,
  selectChannel,
  selectSoonestFree,
} from '../../../daemon/domain/channel-selection.ts';
import type { AbilityView } from '../../../daemon/snapshots/channel-index.ts';
import { channelView } from '../../support/channel-records.ts';
import { assertQuick } from '../../support/processor-time.ts';

const selection = suite('domain/channel-selection');

interface Sketch {
  id: number;
  priority?: number;
  weight?: number;
  keys?: string[];
  setting?: string;
}

const abilities = (...sketches: Sketch[]): AbilityView[] =>
  sketches.map(({ id, priority = 0, weight = 0, keys = ['sk'], setting }) => ({
    channel: channelView({ id, priority, weight, ...(setting ? { setting } : {}) }, keys),
    priority,
    weight,
  }));

const ask = (candidates: readonly AbilityView[], over: Partial<Selection> = {}): ChannelPick | undefined =>
  selectChannel({
    candidates,
    tried: new Map(),
    strategy: 'weighted',
    attempt: 0,
    random: Math.random,
    isUsable: () => true,
    ...over,
  });

const triedKeys = (...entries: [channel: number, ...keys: number[]][]) =>
  new Map(entries.map(([channel, ...keys]) => [channel, new Set(keys)]));

/** A repeatable uniform source (mulberry32), so that shares are the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function sharesOver(picks: number, candidates: readonly AbilityView[], over: Partial<Selection> = {}) {
  const counts = new Map<number, number>();
  const random = seeded(42);
  for (let at = 0; at < picks; at += 1) {
    const id = ask(candidates, { random, ...over })?.channel.record.id ?? 0;
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return (id: number) => (counts.get(id) ?? 0) / picks;
}

selection('draws among many candidates as among few, asking one of them whether it can be used', () => {
  const many = abilities(...Array.from({ length: 40 }, (_, at) => ({ id: at + 1, weight: at < 20 ? 0 : 30 })));
  const lower = abilities(...Array.from({ length: 40 }, (_, at) => ({ id: at + 101, priority: -1 })));
  const candidates = [...many, ...lower];
  let asked = 0;
  const isUsable = () => {
    asked += 1;
    return true;
  };
  const place = Math.floor(0.5 * (20 * 10 + 20 * 40));
  assert.is(ask(candidates, { random: () => 0.5, isUsable })?.channel.record.id, 21 + Math.floor((place - 200) / 40));
  assert.ok(asked <= 1, `${asked} were asked`);
  const isOdd = ({ record }: { record: { id: number } }) => record.id % 2 === 1;
  const share = sharesOver(40_000, candidates, { isUsable: isOdd });
  for (const { channel, weight } of many) {
    const expected = isOdd(channel) ? (weight + 10) / 500 : 0;
    assert.ok(Math.abs(share(channel.record.id) - expected) < 0.01, `${share(channel.record.id)} for ${expected}`);
  }
  const isLower = ({ record }: { record: { id: number } }) => record.id > 100;
  assert.ok(isLower(ask(candidates, { isUsable: isLower })?.channel ?? { record: { id: 0 } }), 'the next tier');
  assert.is(ask(candidates, { isUsable: () => false }), undefined);
});

for (const weights of [
  [0, 0],
  [0, 10],
  [0, 90],
  [100, 100, 300],
  [0, 0, 0, 0],
  [-5, 0],
]) {
  selection(`keeps the shares of weights ${weights.join(', ')} within two points over 10,000 picks`, () => {
    const candidates = abilities(...weights.map((weight, at) => ({ id: at + 1, weight })));
    const share = sharesOver(10_000, candidates);
    const sum = weights.reduce((total, weight) => total + Math.max(0, weight) + 10, 0);
    weights.forEach((weight, at) => {
      const expected = (Math.max(0, weight) + 10) / sum;
      assert.ok(Math.abs(share(at + 1) - expected) < 0.02, `${share(at + 1)} for ${expected}`);
    });
  });
}

selection('gives each channel exactly the part that its weight and ten make of the sum', () => {
  // As one of two, and as one of more than are asked one by one.
  for (const count of [1, 17]) {
    const light = Array.from({ length: count }, (_, at) => ({ id: at + 1 }));
    const candidates = abilities(...light, { id: 99, weight: 90 }, { id: 100, weight: -50 });
    const sum = count * 10 + 100 + 10;
    const drawn = (place: number) => ask(candidates, { random: () => (place + 0.5) / sum })?.channel.record.id;
    const ids = Array.from({ length: sum }, (_, place) => drawn(place));
    const parts = new Map<number | undefined, number>();
    for (const id of ids) parts.set(id, (parts.get(id) ?? 0) + 1);
    assert.equal([...parts], [...light.map(({ id }) => [id, 10]), [99, 100], [100, 10]], `${count}`);
  }
});

selection('counts the tier of a channel that was tried, though it can no longer be used', () => {
  const candidates = abilities({ id: 1, priority: 3 }, { id: 2, priority: 2 }, { id: 3, priority: 1 });
  const isUsable: Selection['isUsable'] = ({ record }) => record.id !== 1;
  const [key] = candidates[0]?.channel.keys ?? [];
  const pick = ask(candidates, { attempt: 1, tried: triedKeys([1, key?.id ?? 0]), isUsable });
  assert.is(pick?.channel.record.id, 2);
});

selection('goes no lower than the last tier, however often it is asked', () => {
  const candidates = abilities({ id: 1, priority: 1 }, { id: 2 }, { id: 3 });
  for (const attempt of [1, 2, 3, 4]) {
    assert.is(ask(candidates, { attempt, random: () => 0 })?.channel.record.id, 2, `${attempt}`);
  }
});

selection('serves the first attempt from the highest priority and each retry from the next one', () => {
  const candidates = abilities({ id: 1, priority: 10 }, { id: 2, priority: 5 }, { id: 3, priority: 0 });
  assert.is(ask(candidates)?.channel.record.id, 1);
  assert.is(ask(candidates, { attempt: 1, tried: triedKeys([1, 100]) })?.channel.record.id, 2);
  assert.is(ask(candidates, { attempt: 2, tried: triedKeys([1, 100], [2, 200]) })?.channel.record.id, 3);
});

selection('stays on the last tier while it has untried channels', () => {
  const candidates = abilities({ id: 1, priority: 1 }, { id: 2 }, { id: 3 });
  const pick = ask(candidates, { attempt: 5, tried: triedKeys([1, 100], [2, 200]) });
  assert.is(pick?.channel.record.id, 3);
});

selection('goes on to lower tiers, then to higher ones from the top', () => {
  const candidates = abilities(
    { id: 1, priority: 9 },
    { id: 2, priority: 8 },
    { id: 3, priority: 7 },
    { id: 4, priority: 6 },
  );
  assert.is(ask(candidates, { attempt: 1, tried: triedKeys([2, 200]) })?.channel.record.id, 3);
  assert.is(ask(candidates, { attempt: 3, tried: triedKeys([4, 400], [2, 200]) })?.channel.record.id, 1);
});

selection('tries another key of a tried channel only when nothing else is left', () => {
  const candidates = abilities({ id: 1, keys: ['a', 'b'] }, { id: 2 });
  assert.is(ask(candidates, { attempt: 1, tried: triedKeys([1, 100]) })?.channel.record.id, 2);
  const last = ask(candidates, { attempt: 2, tried: triedKeys([1, 100], [2, 200]) });
  assert.equal([last?.channel.record.id, last?.key.id], [1, 101]);
});

selection('tries channels of every tier before another key of one that was tried', () => {
  const candidates = abilities(
    { id: 1, priority: 9, keys: ['a', 'b'] },
    { id: 2, priority: 8 },
    { id: 3, priority: 7 },
  );
  const pick = ask(candidates, { attempt: 2, tried: triedKeys([1, 100], [3, 300]) });
  assert.is(pick?.channel.record.id, 2);
});

selection('draws no other key of a tried channel while one of many is untried, though it is the first attempt', () => {
  const many = abilities({ id: 1, keys: ['a', 'b'] }, ...Array.from({ length: 20 }, (_, at) => ({ id: at + 2 })));
  assert.is(ask(many, { random: () => 0, tried: triedKeys([1, 100]) })?.channel.record.id, 2);
});

selection('never hands out a channel and key twice in one request', () => {
  const candidates = abilities(
    { id: 1, keys: ['a', 'b', 'c'], priority: 1 },
    { id: 2, keys: ['d'] },
    { id: 3, keys: ['e', 'f'] },
  );
  const tried = new Map<number, Set<number>>();
  const seen = new Set<number>();
  for (let attempt = 0; ; attempt += 1) {
    const pick = ask(candidates, { attempt, tried });
    if (!pick) break;
    assert.not(seen.has(pick.key.id), `key ${pick.key.id} twice`);
    seen.add(pick.key.id);
    const keys = tried.get(pick.channel.record.id) ?? new Set();
    tried.set(pick.channel.record.id, keys.add(pick.key.id));
  }
  assert.is(seen.size, 6);
});

selection('leaves out what is not usable, and a tier that has nothing usable does not count', () => {
  const candidates = abilities({ id: 1, priority: 9 }, { id: 2, priority: 5 }, { id: 3, priority: 0 });
  const isUsable: Selection['isUsable'] = (channel) => channel.record.id !== 1;
  assert.is(ask(candidates, { isUsable })?.channel.record.id, 2);
  assert.is(ask(candidates, { isUsable, attempt: 1, tried: triedKeys([2, 200]) })?.channel.record.id, 3);
  assert.is(ask(candidates, { isUsable: () => false }), undefined);
});

selection('skips disabled keys and channels without an enabled one', () => {
  const [first, second] = abilities({ id: 1, keys: ['a'] }, { id: 2, keys: ['b', 'c'] });
  assert.ok(first && second);
  if (!first || !second) return;
  const disabled = (ability: AbilityView, index: number): AbilityView => ({
    ...ability,
    channel: {
      ...ability.channel,
      keys: ability.channel.keys.map((key) => (key.index === index ? { ...key, status: 3 as const } : key)),
    },
  });
  const pick = ask([disabled(first, 0), disabled(second, 0)]);
  assert.equal([pick?.channel.record.id, pick?.key.secret], [2, 'c']);
});

selection('takes turns in id order under round robin', () => {
  const candidates = abilities({ id: 1 }, { id: 2, weight: 500 }, { id: 3 });
  const turns = new ProcessTurns();
  const order = [1, 2, 3, 4, 5].map(() => ask(candidates, { strategy: 'round_robin', turns })?.channel.record.id);
  assert.equal(order, [1, 2, 3, 1, 2]);
});

selection('keeps to the strategy however many channels there are', () => {
  const many = abilities(...Array.from({ length: 20 }, (_, at) => ({ id: at + 1, weight: at === 0 ? 1_000_000 : 0 })));
  const turns = new ProcessTurns();
  const order = [1, 2, 3].map(() => ask(many, { strategy: 'round_robin', turns })?.channel.record.id);
  assert.equal(order, [1, 2, 3], 'turns');
  const running = (id: number) => (id === 7 ? 0 : 1);
  assert.is(ask(many, { strategy: 'least_busy', running })?.channel.record.id, 7, 'the idle one');
});

selection('gives each set of competing channels turns of its own', () => {
  const turns = new ProcessTurns();
  const next = (ids: readonly number[]) =>
    ask(abilities(...ids.map((id) => ({ id }))), { strategy: 'round_robin', turns })?.channel.record.id;
  const sets = [
    [1, 2],
    [1, 3],
    [1, 2, 3],
  ];
  const order = [1, 2].map(() => sets.map(next));
  assert.equal(order, [
    [1, 1, 1],
    [2, 3, 2],
  ]);
});

selection('forgets whose turn it is where names have not been used for longest', () => {
  const turns = new ProcessTurns(2);
  const order = ['a', 'b', 'b', 'c', 'c', 'a'].map((name) => turns.next(name));
  assert.equal(order, [0, 0, 1, 0, 1, 0]);
});

selection('prefers the least busy channel and draws among equals by weight', () => {
  const candidates = abilities({ id: 1 }, { id: 2, weight: 90 }, { id: 3 }, { id: 4 });
  const running = (id: number) => (id === 1 || id === 4 ? 2 : 1);
  const share = sharesOver(10_000, candidates, { strategy: 'least_busy', running });
  assert.equal([share(1), share(4)], [0, 0]);
  assert.ok(Math.abs(share(2) - 100 / 110) < 0.02);
});

selection('polls the keys of a channel one after another and starts anew when they change', () => {
  const turns = new ProcessTurns();
  const keysOf = (keys: string[], count: number) =>
    Array.from({ length: count }, () => ask(abilities({ id: 1, keys }), { turns })?.key.secret);
  // As many as would leave two keys at the second of them.
  assert.equal(keysOf(['a', 'b', 'c'], 5), ['a', 'b', 'c', 'a', 'b']);
  assert.equal(keysOf(['a', 'b'], 2), ['a', 'b']);
});

selection('draws keys evenly in random mode', () => {
  const candidates = abilities({ id: 1, keys: ['a', 'b'], setting: '{"multi_key_mode":"random"}' });
  const random = seeded(7);
  let first = 0;
  for (let at = 0; at < 10_000; at += 1) {
    if (ask(candidates, { random, turns: new ProcessTurns() })?.key.secret === 'a') first += 1;
  }
  assert.ok(Math.abs(first / 10_000 - 0.5) < 0.02);
});

selection('finds the pick that is free soonest among the untried', () => {
  const candidates = abilities({ id: 1 }, { id: 2, keys: ['a', 'b'] });
  const left = new Map([
    [100, 500],
    [200, 900],
    [201, 700],
  ]);
  const soonest = (tried: Selection['tried']) =>
    selectSoonestFree(candidates, tried, (_channel, key) => left.get(key.id) ?? 0);
  assert.is(soonest(new Map())?.pick.key.id, 100);
  assert.is(soonest(triedKeys([1, 100]))?.freeInMs, 700);
  left.set(200, 500);
  assert.is(soonest(new Map())?.pick.key.id, 100, 'of those free at once, the one that goes first anyhow');
  const [ability] = candidates;
  if (ability === undefined) throw new Error('no candidate');
  const keys = ability.channel.keys.map((key) => ({ ...key, status: 3 as const }));
  const disabled = { ...ability, channel: { ...ability.channel, keys } };
  assert.is(
    selectSoonestFree([disabled], new Map(), () => 1),
    undefined,
  );
});

selection('picks among a thousand candidates in well under a millisecond', async () => {
  const candidates = abilities(...Array.from({ length: 1000 }, (_, at) => ({ id: at + 1, weight: at })));
  for (let warm = 0; warm < 200; warm += 1) ask(candidates);
  await assertQuick(200, () => {
    for (let at = 0; at < 200; at += 1) ask(candidates);
  });
});

selection.run();
