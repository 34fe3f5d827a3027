/** A daemon that is killed outright under load: after a restart the books are right and no answered call is missing. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { openDatabase } from '../../daemon/store/database.ts';
import { startTestDaemon } from '../support/daemon.ts';
import { startFakeSocketUpstream } from '../support/fake-socket-upstream.ts';
import { jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { LedgerInvariants } from '../support/ledger-invariants.ts';
import { testDatabaseUrl } from '../support/servers.ts';
import { until, untilPasses } from '../support/until.ts';

const killed = suite('a daemon killed under load');
const model = 'gpt-4o';
// The built program, as it runs in production; the test runner builds it first.
const program = fileURLToPath(new URL('../../dist/bin/tollgate.js', import.meta.url));
const secret = 'a root secret for tests of the whole daemon';

function serve(databaseUrl: string, folder: string): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [program, 'serve'], {
    env: {
      PATH: process.env.PATH,
      TOLLGATE_LISTEN: '127.0.0.1:0',
      TOLLGATE_DATABASE_URL: databaseUrl,
      TOLLGATE_DATA_DIR: folder,
      TOLLGATE_SECRET: secret,
      TOLLGATE_EGRESS_ALLOW: '127.0.0.0/8',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return new Promise((resolve, reject) => {
    let log = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      log += chunk;
      const url = /listening on (http:\S+)/.exec(log)?.[1];
      if (url !== undefined) resolve({ child, url });
    });
    child.once('close', (code) => reject(new Error(`ended with ${code}\n${log}`)));
  });
}

killed('keeps every answered call and gives every open hold back', async () => {
  const place = await testDatabaseUrl();
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-killed-'));
  const upstream = await startFakeUpstream((_request, index) => ({
    ...jsonAnswer({
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model,
      choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 100, completion_tokens: 100, total_tokens: 200 },
    }),
    // Some answers are still under way when the daemon dies.
    headersAfterMs: index % 4 === 0 ? 400 : 5,
  }));
  const setUp = await startTestDaemon({ databaseUrl: place.url, dataDir: folder, config: { secret } });
  await setUp.addChannel({ base_url: upstream.url, models: model });
  const key = await setUp.addKey({ unlimited_quota: false, remain_quota: 10_000_000 });
  await setUp.stop();
  const books = await LedgerInvariants.begin(place.url);

  const answered: string[] = [];
  for (let life = 0; life < 3; life += 1) {
    const { child, url } = await serve(place.url, folder);
    const ended = new Promise((resolve) => child.once('close', resolve));
    let running = true;
    const callers = Array.from({ length: 20 }, async () => {
      while (running) {
        const answer = await fetch(`${url}/v1/chat/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
          body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
        }).catch(() => undefined);
        const body = await answer?.text().catch(() => undefined);
        const id = answer?.headers.get('x-request-id');
        if (answer?.status === 200 && body !== undefined && id) answered.push(id);
        if (answer === undefined) await sleep(10);
      }
    });
    const before = answered.length;
    await sleep(700);
    await until(() => answered.length > before + 20);
    child.kill('SIGKILL');
    await ended;
    running = false;
    await Promise.all(callers);
  }
  assert.ok(answered.length > 50, `only ${answered.length} calls were answered`);

  // Nodes that have been silent for five minutes are dead, and what they held for ten is given back.
  const later = { now: () => Date.now() + 11 * 60_000, monotonic: () => performance.now() };
  const last = await startTestDaemon({ databaseUrl: place.url, dataDir: folder, config: { secret }, clock: later });
  await untilPasses(() => books.check());
  // What the kill took between the answer and its settlement is given back, never half charged, and logged as such.
  const logged = new Set<string>();
  for (let page = 1; ; page += 1) {
    const { items } = await last.root.logs.list({ type: 2, page, page_size: 1000 });
    for (const row of items) logged.add(row.request_id);
    if (items.length < 1000) break;
  }
  const missing = answered.filter((id) => !logged.has(id));
  assert.is(missing.length, 0, `${missing.length} of ${answered.length} answered calls have no row`);
  await books.end();
  await last.stop();
  await upstream.close();
  await place.drop();
  rmSync(folder, { recursive: true, force: true });
});

killed('keeps what every finished turn of an open session cost, and gives the rest of its hold back', async () => {
  const place = await testDatabaseUrl();
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-killed-'));
  const upstream = await startFakeSocketUpstream();
  const usage = { total_tokens: 3000, input_tokens: 2000, output_tokens: 1000 };
  const done = { type: 'response.done', response: { usage } };
  const speech = { type: 'response.output_audio.delta', delta: Buffer.alloc(480_000).toString('base64') };
  upstream.script({ frames: [done, done, done, speech], end: 'hang' });
  const realtime = 'gpt-realtime';
  const setUp = await startTestDaemon({ databaseUrl: place.url, dataDir: folder, config: { secret } });
  await setUp.addChannel({ base_url: upstream.url, models: realtime });
  const key = await setUp.addKey({ unlimited_quota: false, remain_quota: 10_000_000 });
  await setUp.stop();
  const books = await LedgerInvariants.begin(place.url);
  const database = await openDatabase({ url: place.url });
  const sessionRow = async () => (await database.stores.logs.list({ type: 2 }, { offset: 0, limit: 10 })).items;

  const { child, url } = await serve(place.url, folder);
  const ended = new Promise((resolve) => child.once('close', resolve));
  const client = new WebSocket(`${url.replace('http', 'ws')}/v1/realtime?model=${realtime}`, ['realtime'], {
    headers: { authorization: `Bearer ${key}` },
  });
  client.on('error', () => undefined);
  await once(client, 'open');
  client.send('{"type":"response.create"}');
  await until(async () => (await sessionRow())[0]?.promptTokens === 6000, 50);
  child.kill('SIGKILL');
  await ended;
  await books.check({ holds: 'open' });
  const [before] = await sessionRow();

  const later = { now: () => Date.now() + 11 * 60_000, monotonic: () => performance.now() };
  const last = await startTestDaemon({ databaseUrl: place.url, dataDir: folder, config: { secret }, clock: later });
  await untilPasses(() => books.check());
  const [after, ...more] = await sessionRow();
  assert.equal([after?.quota, after?.completionTokens, more.length], [before?.quota, 3000, 0]);
  assert.ok((after?.quota ?? 0) > 0);
  await database.close();
  await books.end();
  await last.stop();
  await upstream.close();
  await place.drop();
  rmSync(folder, { recursive: true, force: true });
});

killed.run();
