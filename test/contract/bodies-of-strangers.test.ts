/**
 * What anybody may send without a credential: no more than half a megabyte is read of it, and nothing of it is logged
 * (S4). The endpoints are those of the contract, the other doors stand below.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { contract } from '../../daemon/contract/index.ts';
import { endpointsOf } from '../../daemon/contract/openapi.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { startFakeUpstream } from '../support/fake-upstream.ts';
import { until } from '../support/until.ts';

const bodies = suite('bodies of strangers');

const canary = 'canary5Tq8Wz';
/** Every way to send a body to an endpoint that asks for no sign-in. */
const open = endpointsOf(contract).flatMap(({ name, endpoint }) => {
  if (endpoint.access !== 'public') return [];
  const methods = [endpoint.method, ...(endpoint.aliases ?? []).flatMap(({ method }) => method ?? [])];
  const path = endpoint.path.replace(/:[a-z_]+/g, '1');
  return methods.filter((method) => method !== 'GET').map((method) => ({ name, method, path }));
});
const doors = [
  ...open,
  ...['/mj/notify?c=1&s=x', '/api/nothing', '/nothing'].map((path) => ({ name: path, method: 'POST', path })),
];

let daemon: TestDaemon;

bodies.before(async () => {
  daemon = await startTestDaemon({ config: { 'log.level': 'debug' } });
});
bodies.after(() => daemon.stop());

async function statusOf(method: string, path: string, body: string, headers = {}): Promise<number> {
  const sent = { 'content-type': 'application/json', ...headers };
  const answer = await fetch(daemon.url + path, { method, headers: sent, body });
  await answer.text();
  return answer.status;
}

bodies('are refused above half a megabyte, on every endpoint that asks for no sign-in', async () => {
  assert.ok(open.length > 5);
  const body = `{"a":"${'x'.repeat(512 * 1024)}"}`;
  for (const { name, method, path } of open) assert.is(await statusOf(method, path, body), 413, name);
});

bodies('are in no line of the log, whether they can be read or not', async () => {
  const { length: before } = daemon.log;
  const sent = [`${canary} {`, `{"${canary}":"${canary}"`, `["${canary}"]`, `{"${canary}":"${canary}","username":[1]}`];
  sent.push(`{"a":"${canary}${'x'.repeat(600_000)}"}`);
  for (const { name, method, path } of doors) {
    for (const body of sent) assert.ok((await statusOf(method, path, body)) < 500, name);
  }
  assert.ok(daemon.log.length > before + open.length);
  assert.not.ok(daemon.log.some((line) => line.includes(canary)));
});

bodies('of calls to models are in no line either, asked with a key or without', async () => {
  const upstream = await startFakeUpstream();
  await daemon.addChannel({ base_url: upstream.url, models: 'gpt-4o' });
  const authorization = `Bearer ${await daemon.addKey()}`;
  const asked = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: canary }] });
  for (const headers of [{}, { authorization }]) {
    for (const body of [asked, `${canary} {`, `{"model":"gpt-4o","messages":"${canary}"}`]) {
      assert.ok((await statusOf('POST', '/v1/chat/completions', body, headers)) >= 400, body);
    }
  }
  await until(() => daemon.daemon.running() === 0);
  await upstream.close();
  assert.not.ok(daemon.log.some((line) => line.includes(canary)));
});

bodies.run();
