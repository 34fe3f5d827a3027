/** A database that is cut off in silence while a node stops: what it says no more is not waited for part by part. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon } from '../support/daemon.ts';
import { answeredChat } from '../support/daemon-pair.ts';
import { testEngines } from '../support/engines.ts';
import { startFakeUpstream } from '../support/fake-upstream.ts';
import { startFallingSilent } from '../support/falling-silent.ts';
import { testEngine } from '../support/servers.ts';

const test = suite('cluster/silent-database');

test('a node stops in time when its database falls silent, and books what was said when it is back', async () => {
  // It brings its own PostgreSQL: once is enough.
  if (testEngine() !== 'postgres') return;
  const place = await testEngines.postgres.migrated();
  const way = await startFallingSilent(place.url);
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-silent-'));
  const upstream = await startFakeUpstream(() => {
    way.fallSilent();
    return answeredChat;
  });
  const options = { dataDir: folder, options: { LogChatContentEnabled: 'true', ModelRatio: '{"m":1}' } };
  const node = await startTestDaemon({ ...options, databaseUrl: way.url, config: { 'node.id': 'a' } });
  await node.addChannel({ base_url: upstream.url, models: 'm' });
  const key = await node.addKey();
  const answer = await fetch(`${node.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }] }),
  });
  assert.is(answer.status, 200, await answer.text());
  const began = performance.now();
  await node.stop().catch(() => undefined);
  const tookMs = performance.now() - began;
  assert.ok(tookMs < 25_000, `${Math.round(tookMs)} ms`);
  const again = await startTestDaemon({ dataDir: folder, databaseUrl: place.url, config: { 'node.id': 'a' } });
  const { items } = await again.root.logs.list({});
  assert.equal(
    items.filter(({ type }) => type === 2).map(({ quota }) => quota),
    [200],
  );
  await again.stop();
  await way.stop();
  await upstream.close();
  rmSync(folder, { recursive: true, force: true });
  await place.drop();
});

test.run();
