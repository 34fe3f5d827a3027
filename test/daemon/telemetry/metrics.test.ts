import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Metrics, type RelayObservation } from '../../../daemon/telemetry/metrics.ts';
import { serveMetrics } from '../../../daemon/telemetry/metrics-server.ts';
import { assertQuick } from '../../support/processor-time.ts';

const test = suite('metrics');

const seen: RelayObservation = {
  capability: 'chat',
  outcome: 'complete',
  channelId: 7,
  attempts: 2,
  durationMs: 1500,
  firstTokenMs: 300,
  promptTokens: 10,
  completionTokens: 20,
  quota: 15,
};

test('shows what finished requests came to', async () => {
  const metrics = new Metrics();
  metrics.relayFinished(seen);
  metrics.relayFinished({ ...seen, outcome: 'upstream_error', channelId: 0, firstTokenMs: undefined, quota: 0 });
  metrics.metBug();
  metrics.watch('open_requests', 'Requests in progress', () => 3);
  let lost = 2;
  metrics.watchTotal('notices_lost', 'Notices that did not arrive', () => lost);
  await metrics.render();
  lost = 5;
  const { body } = await metrics.render();
  for (const line of [
    'tollgate_relay_requests_total{capability="chat",outcome="complete",channel="7"} 1',
    'tollgate_relay_attempts_total{capability="chat"} 4',
    'tollgate_relay_tokens_total{direction="completion"} 40',
    'tollgate_relay_quota_total 15',
    'tollgate_relay_first_token_seconds_count{capability="chat"} 1',
    'tollgate_bugs_total 1',
    '# TYPE tollgate_open_requests gauge',
    'tollgate_open_requests 3',
    '# TYPE tollgate_notices_lost_total counter',
    'tollgate_notices_lost_total 5',
  ]) {
    assert.ok(body.includes(line), line);
  }
  assert.match(body, 'nodejs_eventloop_lag_seconds');
});

test('costs less than a microsecond for each count', async () => {
  const metrics = new Metrics();
  const rounds = 100_000;
  for (let at = 0; at < 20_000; at += 1) metrics.metBug();
  await assertQuick(rounds * 0.001, () => {
    for (let at = 0; at < rounds; at += 1) metrics.metBug();
  });
});

test('answers on a port of its own, and nothing but metrics', async () => {
  const server = await serveMetrics(new Metrics(), { host: '127.0.0.1', port: 0 });
  try {
    const found = await fetch(`http://127.0.0.1:${server.port}/metrics`);
    assert.is(found.status, 200);
    assert.match(await found.text(), 'process_cpu_seconds_total');
    assert.is((await fetch(`http://127.0.0.1:${server.port}/`)).status, 404);
  } finally {
    await server.stop();
  }
});

test('stops although a client that asked nothing, or half of it, stays connected', async () => {
  const server = await serveMetrics(new Metrics(), { host: '127.0.0.1', port: 0 });
  const clients = [connect(server.port, '127.0.0.1'), connect(server.port, '127.0.0.1')];
  const gone = clients.map((client) => once(client, 'close'));
  try {
    clients[0]?.write('GET /met');
    // It was accepted behind both of them.
    await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
    const stopped = server.stop().then(() => 'stopped');
    assert.is(await Promise.race([stopped, sleep(2000, 'waits for a client', { ref: false })]), 'stopped');
    await Promise.all(gone);
  } finally {
    for (const client of clients) client.destroy();
  }
});

test.run();
