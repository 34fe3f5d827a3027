import { readFileSync } from 'node:fs';
import knex from 'knex';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openMetrics } from '../../../daemon/composition/metrics.ts';
import { startTestDaemon } from '../../support/daemon.ts';
import { jsonAnswer, startFakeUpstream } from '../../support/fake-upstream.ts';
import { freePort } from '../../support/guarded-server.ts';

const test = suite('metrics of a daemon');

/** Takes tables from under a running daemon: whoever asks for their rows meets a bug. */
async function dropTables(url: string, tables: readonly string[]): Promise<void> {
  const db = url.startsWith('sqlite:')
    ? knex({ client: 'sqlite3', connection: { filename: url.slice(7) }, useNullAsDefault: true })
    : knex({ client: 'pg', connection: url });
  try {
    for (const table of tables) await db.schema.dropTable(table);
  } finally {
    await db.destroy();
  }
}

test('say where they are also where that is an address of IPv6', async () => {
  const metrics = await openMetrics({ host: '::1', port: 0 });
  try {
    const address = metrics.line.en.replace('metrics: ', '');
    assert.match(await (await fetch(address)).text(), '# HELP tollgate_relay_requests_total');
  } finally {
    await metrics.stop();
  }
});

test('count a relayed call, on their own port and not where callers are', async () => {
  const upstream = await startFakeUpstream();
  upstream.script(
    jsonAnswer({
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'gpt-4o',
      choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 },
    }),
  );
  const port = await freePort();
  const daemon = await startTestDaemon({ config: { 'metrics.listen': `127.0.0.1:${port}` } });
  try {
    const channel = await daemon.addChannel({ base_url: upstream.url, models: 'gpt-4o' });
    const key = await daemon.addKey();
    const ask = () =>
      fetch(`${daemon.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] }),
      });
    const answer = await ask();
    assert.is(answer.status, 200);
    await answer.text();
    upstream.script(jsonAnswer({ error: { message: 'no', type: 'odd', code: 'odd_17' } }, 422));
    const odd = await ask();
    assert.equal([odd.status, (await odd.json()).error.code], [422, 'odd_17']);
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const labels = `{capability="chat",outcome="complete",channel="${channel}"}`;
    assert.ok(text.includes(`tollgate_relay_requests_total${labels} 1`), text);
    assert.ok(text.includes('tollgate_relay_tokens_total{direction="completion"} 5'));
    // What an upstream calls its errors is no label: it could make any number of them.
    assert.not.match(text, 'odd_17');
    assert.match(text, 'outcome="upstream_error"');
    assert.ok(text.includes('tollgate_relay_running 0'));
    for (const pool of ['upstream', 'database']) {
      assert.match(text, new RegExp(`^tollgate_${pool}_connections \\d+$`, 'm'));
      assert.match(text, new RegExp(`^tollgate_${pool}_waiting \\d+$`, 'm'));
    }
    assert.not.match(await (await fetch(`${daemon.url}/metrics`)).text(), 'tollgate_relay_requests_total');
    const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
    const served = [...text.matchAll(/^# HELP (tollgate_\w+)/gm)].map(([, name]) => name);
    const documented = [...page.matchAll(/`(tollgate_\w+)`/g)].map(([, name]) => name);
    assert.equal(documented.toSorted(), served.toSorted(), 'the page for operators names each of them');
  } finally {
    await daemon.stop();
    await upstream.close();
  }
});

test('count calls that met a bug, of the management API and of the relay', async () => {
  const port = await freePort();
  const daemon = await startTestDaemon({ config: { 'metrics.listen': `127.0.0.1:${port}` } });
  const bugs = async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return /^tollgate_bugs_total (\d+)$/m.exec(text)?.[1];
  };
  try {
    assert.is(await bugs(), '0');
    await dropTables(daemon.databaseUrl, ['redemptions', 'midjourneys']);
    const headers = { authorization: `Bearer ${daemon.accessToken}`, 'New-Api-User': '1' };
    assert.is((await fetch(`${daemon.url}/api/redemption/`, { headers })).status, 500);
    assert.is(await bugs(), '1');
    assert.is((await fetch(`${daemon.url}/api/user/self`)).status, 401);
    assert.is(await bugs(), '1', 'a refusal is none');
    // Of the relay: the picture of a drawing, whose table is gone.
    await fetch(`${daemon.url}/mj/image/1234567890123456`);
    assert.is(await bugs(), '2');
  } finally {
    await daemon.stop();
  }
});

test.run();
