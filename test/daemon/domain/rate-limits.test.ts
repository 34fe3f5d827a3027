import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MemoryCounters } from '../../../daemon/cluster/memory-counters.ts';
import type { RateLimitTable } from '../../../daemon/contract/rate-limits.ts';
import { type RatedCall, type RatedToken, RateLimits, type RatePlace } from '../../../daemon/domain/rate-limits.ts';
import { optionsView } from '../../support/options-view.ts';

const test = suite('requests and tokens a minute');

/** One node with a clock of its own; every call differs from a plain one only in what is named. */
function world(table: RateLimitTable = {}) {
  let now = 10_000_000;
  const limits = new RateLimits({ counters: new MemoryCounters({ now: () => now }) });
  const options = optionsView({ RateLimits: table });
  const call = (over: Partial<RatedCall> = {}): RatedCall => ({
    token: key(1),
    user: { id: 1, username: 'ann' },
    group: 'default',
    model: 'gpt-4o',
    options,
    estimate: () => ({ prompt: 10, answer: 0 }),
    ...over,
  });
  const take = (over?: Partial<RatedCall>) => {
    const taken = limits.take(call(over));
    if (taken instanceof Promise) throw new Error('counters of this process answer at once');
    return taken;
  };
  return {
    limits,
    options,
    take,
    /** Code of the refusal, or `allowed`, or `unlimited`. */
    code: (over?: Partial<RatedCall>) => {
      const taken = take(over);
      return taken === undefined ? 'unlimited' : (taken.refusal?.code ?? 'allowed');
    },
    wait: (ms: number) => {
      now += ms;
    },
  };
}

/** A key with such limits of its own. */
function key(id: number, limits: Partial<RatedToken> = {}): RatedToken {
  return { id, rpmLimit: 0, tpmLimit: 0, concurrencyLimit: 0, ...limits };
}

function placed(taken: ReturnType<ReturnType<typeof world>['take']>): RatePlace {
  if (taken === undefined || taken.refusal !== undefined) throw new Error('refused, or without a limit');
  return taken;
}

test('asks and draws nothing where no limit holds', () => {
  const never = () => {
    throw new Error('nobody needs an estimate');
  };
  const free = world();
  assert.is(free.limits.mayHold(free.options, undefined), false);
  assert.is(free.limits.mayHold(free.options, key(1)), false);
  assert.is(free.code({ estimate: never }), 'unlimited');
  const empty = world({ user: {}, model: {} });
  assert.is(empty.limits.mayHold(empty.options, undefined), false);
  const others = world({ user: { bob: { rpm: 1 } }, model: { 'claude-*': { tpm: 1 } }, group: { vip: {} } });
  assert.is(others.code({ estimate: never }), 'unlimited');
  assert.is(world({ user: { ann: { rpm: 1 } } }).code({ estimate: never }), 'allowed');
});

const bySubject: [
  what: string,
  table: RateLimitTable,
  over: Partial<RatedCall>,
  apart: Partial<RatedCall>,
  code: string,
][] = [
  ['a key’s own requests', {}, { token: key(1, { rpmLimit: 2 }) }, { token: key(2, { rpmLimit: 2 }) }, 'token_rpm'],
  ['a key’s own tokens', {}, { token: key(1, { tpmLimit: 25 }) }, { token: key(2, { tpmLimit: 25 }) }, 'token_tpm'],
  ['each key', { token: { '*': { rpm: 2 } } }, {}, { token: key(2) }, 'token_rpm'],
  [
    'a named user',
    { user: { ann: { rpm: 2 }, '*': { rpm: 1 } } },
    {},
    { user: { id: 2, username: 'bob' } },
    'user_rpm',
  ],
  ['each user', { user: { '*': { tpm: 20 } } }, {}, { user: { id: 2, username: 'bob' } }, 'user_tpm'],
  ['a group', { group: { default: { rpm: 2 } } }, {}, { group: 'vip' }, 'group_rpm'],
  ['each group', { group: { '*': { tpm: 29 } } }, {}, { group: 'vip' }, 'group_tpm'],
  ['a model', { model: { 'gpt-4o': { rpm: 2 }, '*': { rpm: 1 } } }, {}, { model: 'gpt-4o-mini' }, 'model_rpm'],
  [
    'models by the beginning of their names',
    { model: { 'gpt-*': { rpm: 2 }, '*': { rpm: 9 } } },
    {},
    { model: 'gpt-5' },
    'model_rpm',
  ],
  ['each model', { model: { '*': { tpm: 20 } } }, {}, { model: 'gpt-5' }, 'model_tpm'],
];

for (const [what, table, over, apart, code] of bySubject) {
  test(`limits ${what}, apart from others, until a minute is over`, () => {
    const { code: codeOf, wait } = world(table);
    assert.equal([codeOf(over), codeOf(over), codeOf(over)], ['allowed', 'allowed', `rate_limited:${code}`]);
    assert.is(codeOf(apart) === `rate_limited:${code}`, false, 'another subject has a limit of its own, or none');
    wait(59_000);
    assert.is(codeOf(over), `rate_limited:${code}`);
    wait(2_000);
    assert.is(codeOf(over), 'allowed');
  });
}

test('counts calls of the group auto by the entry of that name alone, and in the group that serves them when that is known', () => {
  const each = world({ group: { '*': { rpm: 1 } } });
  assert.equal([each.code({ group: 'auto' }), each.code({ group: 'auto' })], ['unlimited', 'unlimited']);
  const served = (group: string) => {
    const taken = each.limits.takeGroup({ group, options: each.options, estimate: () => ({ prompt: 1, answer: 0 }) });
    if (taken instanceof Promise) throw new Error('counters of this process answer at once');
    return taken?.refusal?.code ?? 'allowed';
  };
  assert.equal(
    [served('vip'), served('vip'), served('default'), each.code({ group: 'vip' })],
    ['allowed', 'rate_limited:group_rpm', 'allowed', 'rate_limited:group_rpm'],
  );
  const named = world({ group: { auto: { rpm: 1 } } });
  assert.equal([named.code({ group: 'auto' }), named.code({ group: 'auto' })], ['allowed', 'rate_limited:group_rpm']);
});

test('counts a group’s and a model’s calls together, whoever makes them', () => {
  const { code } = world({ group: { default: { rpm: 2 } }, model: { 'gpt-4o': { rpm: 3 } } });
  const who = (id: number): Partial<RatedCall> => ({
    token: key(id),
    user: { id, username: `user${id}` },
  });
  assert.equal([code(who(1)), code(who(2)), code(who(3))], ['allowed', 'allowed', 'rate_limited:group_rpm']);
  assert.equal(
    [code({ ...who(4), group: 'vip' }), code({ ...who(5), group: 'vip' })],
    ['allowed', 'rate_limited:model_rpm'],
    'what the group refused was not counted for the model',
  );
});

test('takes the tighter of a key’s own limit and that of every key', () => {
  const { code } = world({ token: { '*': { rpm: 2 } } });
  const wide = { token: key(1, { rpmLimit: 50 }) };
  const narrow = { token: key(2, { rpmLimit: 1 }) };
  assert.equal([code(wide), code(wide), code(wide)], ['allowed', 'allowed', 'rate_limited:token_rpm']);
  assert.equal([code(narrow), code(narrow)], ['allowed', 'rate_limited:token_rpm']);
});

test('corrects the tokens by what the call used, told once or bit by bit', () => {
  const { take, code } = world({ user: { ann: { tpm: 100 } } });
  const first = placed(take({ estimate: () => ({ prompt: 40, answer: 40 }) }));
  assert.is(first.tokens?.remaining, 20);
  assert.is(code({ estimate: () => ({ prompt: 30, answer: 0 }) }), 'rate_limited:user_tpm');
  first.used(10);
  first.used(10);
  const second = placed(take({ estimate: () => ({ prompt: 30, answer: 0 }) }));
  assert.is(second.tokens?.remaining, 60);
  second.used(50);
  second.used(95);
  assert.is(code({ estimate: () => ({ prompt: 1, answer: 0 }) }), 'rate_limited:user_tpm');
});

test('draws of the answer what there is room for, and lets no prompt in that is too long', () => {
  const { take, code } = world({ user: { ann: { tpm: 100 } } });
  const long = placed(take({ estimate: () => ({ prompt: 10, answer: 512 }) }));
  assert.is(long.tokens?.remaining, 0);
  assert.is(code({ estimate: () => ({ prompt: 1, answer: 0 }) }), 'rate_limited:user_tpm', 'it may use all of it');
  long.used(30);
  assert.is(placed(take({ estimate: () => ({ prompt: 20, answer: 512 }) })).tokens?.remaining, 0);
  assert.is(
    code({ estimate: () => ({ prompt: 0, answer: 0 }) }),
    'rate_limited:user_tpm',
    'a session without a prompt',
  );
  const apart = world({ user: { ann: { tpm: 100 } } });
  assert.is(apart.code({ estimate: () => ({ prompt: 101, answer: 0 }) }), 'rate_limited:user_tpm');
  assert.is(apart.code({ estimate: () => ({ prompt: 100, answer: 512 }) }), 'allowed');
});

test('tells what is left of the tightest limit of each kind, and of the one that refused', () => {
  const { take } = world({ user: { ann: { rpm: 5, tpm: 1000 } }, model: { '*': { rpm: 3, tpm: 500 } } });
  const { requests, tokens } = placed(take());
  assert.equal([requests?.limit, requests?.remaining], [3, 2]);
  assert.equal([tokens?.limit, tokens?.remaining], [500, 490]);
  take();
  take();
  const refused = take();
  assert.is(refused?.refusal?.code, 'rate_limited:model_rpm');
  assert.equal([refused?.requests?.limit, refused?.requests?.remaining], [3, 0]);
  assert.is(refused?.refusal?.retryAfterSeconds, 61);
  assert.equal(refused?.refusal?.params, { limit: 3, name: 'gpt-4o' });
});

const atOnce: [table: RateLimitTable, apart: Partial<RatedCall>, code: string][] = [
  [{ token: { '*': { concurrency: 2 } } }, { token: key(2) }, 'token_concurrency'],
  [{ user: { '*': { concurrency: 2 } } }, { user: { id: 2, username: 'bob' } }, 'user_concurrency'],
  [{ group: { default: { concurrency: 2 } } }, { group: 'vip' }, 'group_concurrency'],
  [{ model: { 'gpt-*': { concurrency: 2 } } }, { model: 'claude' }, 'model_concurrency'],
];
for (const [table, apart, code] of atOnce) {
  test(`lets so many calls run at once, apart from others: ${code}`, () => {
    const { take, code: codeOf } = world(table);
    const [first] = [placed(take()), placed(take())];
    const refused = take();
    assert.equal([refused?.refusal?.code, refused?.refusal?.retryAfterSeconds], [`rate_limited:${code}`, 1]);
    assert.is(codeOf(apart) === `rate_limited:${code}`, false);
    first.left();
    first.left();
    assert.equal([codeOf(), codeOf()], ['allowed', `rate_limited:${code}`], 'one place came free, once');
  });
}

test('takes the tighter of a key’s own calls at once and those of every key', () => {
  const { code, take } = world({ token: { '*': { concurrency: 2 } } });
  const narrow = { token: key(2, { concurrencyLimit: 1 }) };
  const first = placed(take(narrow));
  assert.is(code(narrow), 'rate_limited:token_concurrency');
  const wide = { token: key(3, { concurrencyLimit: 9 }) };
  assert.equal([code(wide), code(wide), code(wide)], ['allowed', 'allowed', 'rate_limited:token_concurrency']);
  first.left();
  assert.is(code(narrow), 'allowed');
  const alone = world();
  const own = { token: key(1, { concurrencyLimit: 1 }) };
  assert.equal([alone.code(own), alone.code(own)], ['allowed', 'rate_limited:token_concurrency']);
});

test('keeps no place for a call that another limit refuses, and draws nothing for one without a place', () => {
  const { take, code, wait } = world({
    user: { ann: { concurrency: 1, rpm: 1 } },
    group: { default: { concurrency: 1 } },
  });
  const first = placed(take());
  assert.is(code(), 'rate_limited:user_concurrency');
  first.left();
  assert.is(code(), 'rate_limited:user_rpm');
  wait(62_000);
  const next = placed(take());
  assert.is(next.requests?.remaining, 0);
  assert.is(code(), 'rate_limited:user_concurrency');
  wait(62_000);
  next.left();
  assert.is(code(), 'allowed', 'the refused ones drew no request and kept no place');
});

test('reads the table anew when the options change', () => {
  const { limits, options, take } = world();
  assert.is(take(), undefined);
  const limited = optionsView({ RateLimits: { user: { '*': { rpm: 1 } } } });
  assert.is(limits.mayHold(limited, undefined), true);
  assert.is(limits.mayHold(options, undefined), false);
});

test.run();
