/** How long tries took and how they failed, counted in bounded space. Runs once: it knows no database. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addSparse, countDuration, durationAt, noDurations, toSparse } from '../../../daemon/domain/call-durations.ts';
import { CallTimes, type TimedTry, timesOf } from '../../../daemon/domain/call-times.ts';
import { errorClassOf, type TriedRequest, timesListener } from '../../../daemon/gateway/record-times.ts';

const test = suite('times of calls');

const answer = (ms: number, more: Partial<TimedTry> = {}): TimedTry => ({
  channelId: 1,
  model: 'm',
  failure: undefined,
  durationMs: ms,
  firstTokenMs: undefined,
  ...more,
});

test('tells a percentile right to an eighth, whatever the durations, also after they went over the wire', () => {
  const durations = fc.array(fc.integer({ min: 10, max: 1_000_000 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(durations, fc.constantFrom(0.5, 0.95, 1), (given, part) => {
      const counts = noDurations();
      for (const ms of given) countDuration(counts, ms);
      const told = noDurations();
      addSparse(told, JSON.parse(JSON.stringify(toSparse(counts))));
      const exact = given.toSorted((one, other) => one - other)[Math.max(0, Math.ceil(part * given.length) - 1)] ?? 0;
      const found = durationAt(told, part) ?? 0;
      // A step is a quarter wide, and the true value lies in the same step.
      return found <= exact * 1.26 + 1 && found >= exact / 1.26 - 1;
    }),
  );
  assert.is(durationAt(noDurations(), 0.5), undefined);
});

test('adds up models and channels, and failures by their class', () => {
  const times = new CallTimes(() => 0);
  for (let ms = 100; ms <= 1000; ms += 100) times.count(answer(ms, { firstTokenMs: 50 }));
  times.count(answer(0, { model: 'other', failure: 'limited' }));
  times.count(answer(0, { model: 'other', failure: 'limited' }));
  times.count(answer(0, { failure: 'timeout' }));
  const rows = timesOf([...times.read(), ...times.read()]);
  assert.equal(
    rows.map(({ model, answered, failed }) => [model, answered, failed]),
    [
      [undefined, 20, 6],
      ['m', 20, 2],
      ['other', 0, 4],
    ],
  );
  assert.equal(rows[0]?.errors, [
    { name: 'limited', count: 4 },
    { name: 'timeout', count: 2 },
  ]);
  const { p50 = 0, p95 = 0 } = rows[1]?.duration ?? {};
  assert.ok(p50 > 400 && p50 < 650 && p95 > 800 && p95 < 1100, `${p50} ${p95}`);
  assert.is(rows[2]?.duration, undefined);
});

test('forgets what is an hour old, and keeps bounded models apart', () => {
  let now = 0;
  const times = new CallTimes(() => now);
  times.count(answer(5));
  now = 59 * 60_000;
  assert.is(times.read().length, 1);
  now = 61 * 60_000;
  assert.equal(times.read(), []);
  for (let model = 0; model < 700; model += 1) times.count(answer(5, { model: `m${model}` }));
  const kept = times.read();
  assert.ok(kept.length <= 501, String(kept.length));
  assert.is(
    kept.reduce((sum, { answered }) => sum + answered, 0),
    700,
  );
  assert.is(kept[0]?.model, '');
  now = 130 * 60_000;
  times.count(answer(5, { model: 'late' }));
  assert.equal(
    times.read().map(({ model }) => model),
    ['late'],
  );
});

test('times the answer alone: what was tried before it, a session and an answer that broke off do not count', () => {
  const attempts = [
    { channel: 1, status: 429, code: 'rate_limit_exceeded', ms: 300 },
    { channel: 2, status: 200, code: '', ms: 900 },
  ];
  const failed: number[] = [];
  const told = (capability: 'chat' | 'realtime', reason: TriedRequest['outcome']['reason']): TimedTry[] => {
    const tries: TimedTry[] = [];
    const account = { trail: { attempts }, inspection: { model: 'm' }, exchange: { endpoint: { capability } } };
    timesListener({ timed: (tried) => tries.push(tried), failed: (channel) => failed.push(channel) })({
      account,
      outcome: { reason, firstTokenMs: 500 },
    });
    return tries;
  };
  const [first, second] = told('chat', 'complete');
  assert.equal(first, { channelId: 1, model: 'm', failure: 'limited', durationMs: undefined, firstTokenMs: undefined });
  assert.equal(second, { channelId: 2, model: 'm', failure: undefined, durationMs: 900, firstTokenMs: 200 });
  assert.is(told('realtime', 'complete')[1]?.durationMs, undefined);
  assert.is(told('chat', 'upstream_eof')[1]?.failure, 'broken');
  assert.is(told('chat', 'client_gone')[1]?.failure, undefined);
  assert.equal(failed, [1, 1, 1, 1], 'an answer that broke off is in the log of its channel');
  failed.length = 0;
  attempts[0] = { channel: 1, status: 404, code: 'model_not_found', ms: 3 };
  told('chat', 'complete');
  assert.equal(failed, [], 'nor does a request that was refused speak against a channel');
});

test('classes failures by their code, else by their status', () => {
  const found = [
    errorClassOf(502, 'do_request_failed'),
    errorClassOf(429, 'insufficient_quota'),
    errorClassOf(429, ''),
    errorClassOf(503, 'overloaded'),
    errorClassOf(404, 'constructor'),
    errorClassOf(403, ''),
  ];
  assert.equal(found, ['unreachable', 'balance', 'limited', 'server', 'refused', 'credential']);
});

test.run();
