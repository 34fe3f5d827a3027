/** What the health page calls good, worth a look and bad, and what it puts first. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  jobRows,
  latencyByChannel,
  levelOf,
  percentilesText,
  redisState,
  successLevel,
  successRate,
  worstChannelsFirst,
} from '../../console/pages/health/health-levels.ts';
import type { LatencyView, NodeView } from '../../daemon/contract/system.ts';

const test = suite('console/health-levels');

const node = (id: string, more: Partial<NodeView> = {}): NodeView => ({
  id,
  address: '',
  version: '1.0.0',
  started_at: 1,
  heartbeat_at: 1,
  alive: true,
  role: 'master',
  revision: 1,
  lag: 0,
  running: 0,
  calls_per_second: 0,
  open_holds: 0,
  lost_texts: 0,
  redis: 'off',
  memory_bytes: 0,
  cpu_percent: 0,
  loop_delay_ms: 0,
  jobs: [],
  ...more,
});
const job = (name: string, outcome: NodeView['jobs'][number]['outcome'], last_at: number) =>
  ({ name, outcome, last_at, scope: 'node', last_ms: 0, next_at: 0 }) as const;
const calls = (requests: number, failures: number) => ({ requests, failures });

test('a figure at its limit still belongs to the better level', () => {
  const limits = { fair: 50, bad: 250 };
  assert.equal(
    [50, 50.1, 250, 251].map((value) => levelOf(value, limits)),
    ['good', 'fair', 'fair', 'bad'],
  );
});

test('the part of calls answered is unknown without calls', () => {
  assert.is(successRate(calls(0, 0)), undefined);
  assert.is(successRate(calls(3, 1)), 0.75);
  assert.equal([calls(0, 0), calls(99, 1), calls(95, 5), calls(94, 6)].map(successLevel), [
    'none',
    'good',
    'fair',
    'bad',
  ]);
});

test('channels that were disabled automatically come first, then those that fail most, then those without calls', () => {
  const channel = (id: number, status: number, hour = calls(0, 0), day = hour) => ({
    id,
    name: '',
    status,
    cooling: 0,
    reason: '',
    models: 1,
    keys: { usable: 1, all: 1 },
    response_time: 0,
    balance: null,
    last_hour: hour,
    last_day: day,
  });
  const rows = worstChannelsFirst([
    channel(1, 1),
    channel(2, 1, calls(10, 0)),
    channel(3, 1, calls(1, 9)),
    channel(4, 3),
    channel(5, 1, calls(0, 0), calls(5, 5)),
  ]);
  assert.equal(
    rows.map(({ id }) => id),
    [4, 3, 5, 2, 1],
  );
});

test('failed jobs come first, whichever node ran them', () => {
  const rows = jobRows([
    node('one', { jobs: [job('b', 'done', 5), job('a', 'never', 0)] }),
    node('two', { jobs: [job('c', 'failed', 1), job('d', 'done', 9)] }),
  ]);
  assert.equal(
    rows.map((row) => `${row.node}/${row.name}`),
    ['two/c', 'two/d', 'one/b', 'one/a'],
  );
});

test('Redis is lost as soon as one living node lost it', () => {
  assert.is(redisState([node('a', { redis: 'connected' }), node('b', { redis: 'lost' })]), 'lost');
  assert.is(redisState([node('a', { redis: 'connected' }), node('b', { redis: 'lost', alive: false })]), 'connected');
  assert.is(redisState([node('a')]), 'off');
});

test('times stand with their channel, of all models and of each', () => {
  const row = (channel: number, model: string | null): LatencyView => ({
    ...{ channel, model, name: 'c', answered: 1, failed: 0, errors: [] },
    ...{ duration: { p50: 820, p95: 1840 }, first_token: null },
  });
  const found = latencyByChannel([row(1, null), row(1, 'a'), row(2, null), row(1, 'b')]);
  assert.equal([...found.keys()], [1, 2]);
  assert.equal(
    found.get(1)?.models.map(({ model }) => model),
    ['a', 'b'],
  );
  assert.is(percentilesText(found.get(1)?.whole.duration), '820 ms / 1.8 s');
  assert.is(percentilesText(null), '—');
});

test.run();
