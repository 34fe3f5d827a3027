/** One address of the caller for all that asks for it (REQ-36): the lists of keys, the log, and the limits by address. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { untilThere } from '../support/until.ts';
import { chatRequest, completion } from './wire.ts';

interface World {
  upstream: FakeUpstream;
  daemon: TestDaemon;
}

const allowed = '203.0.113.0/24\n2001:db8::/32';

for (const [peer, trusted] of [
  ['a proxy that is trusted', ['127.0.0.0/8', '10.0.0.0/8']],
  ['a stranger', []],
] as const) {
  const test = suite<World>(`the address that ${peer} names`);
  const isTrusted = trusted.length > 0;

  test.before(async (world) => {
    world.upstream = await startFakeUpstream(jsonAnswer(completion()));
    const limits = { 'limits.critical.enabled': true, 'limits.critical.count': 8, 'limits.critical.seconds': 600 };
    world.daemon = await startTestDaemon({ config: { trusted_proxies: [...trusted], ...limits } });
    await world.daemon.root.options.set({ key: 'LogClientIpEnabled', value: 'true' });
    await world.daemon.addChannel({ base_url: world.upstream.url, models: 'gpt-4o' });
  });
  test.after(async ({ daemon, upstream }) => {
    await daemon.stop();
    await upstream.close();
  });

  const forwarded: readonly (readonly [header: string, address: string, status: number])[] = [
    ['203.0.113.9', '203.0.113.9', 200],
    ['6.6.6.6, 203.0.113.10', '203.0.113.10', 200],
    ['203.0.113.11, 10.2.2.2', '203.0.113.11', 200],
    ['2001:db8::7', '2001:db8::7', 200],
    ['203.0.113.9, 198.51.100.1', '198.51.100.1', 403],
    ['2001:db9::7', '2001:db9::7', 403],
  ];

  test('counts however many headers come before it', async ({ daemon }) => {
    const key = await daemon.addKey({ allow_ips: '127.0.0.1' });
    const many = Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`a${index}`, 'b']));
    // They are sent in the order of their names.
    const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': '203.0.113.9' };
    for (const sent of [headers, { ...many, ...headers }]) {
      const answer = await fetch(`${daemon.url}/v1/models`, { headers: sent });
      await answer.text();
      assert.is(answer.status, isTrusted ? 403 : 200);
    }
  });

  test(`is ${isTrusted ? '' : 'not '}that of which keys' lists and log rows speak`, async ({ daemon }) => {
    const [listed, open] = [await daemon.addKey({ allow_ips: allowed }), await daemon.addKey()];
    const call = (key: string, header: string) =>
      fetch(`${daemon.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, 'x-forwarded-for': header },
        body: JSON.stringify(chatRequest),
      });
    for (const [header, address, status] of forwarded) {
      const judged = await call(listed, header);
      await judged.text();
      assert.is(judged.status, isTrusted ? status : 403, header);
      const served = await call(open, header);
      await served.text();
      const requestId = served.headers.get('x-request-id') ?? '';
      const { ip } = await untilThere(async () => (await daemon.root.logs.list({ request_id: requestId })).items[0]);
      assert.is(ip, isTrusted ? address : '127.0.0.1', header);
    }
  });

  test(`is ${isTrusted ? '' : 'not '}that by which strangers are counted`, async ({ daemon }) => {
    const statuses: number[] = [];
    for (let host = 1; host <= 10; host += 1) {
      const answer = await fetch(`${daemon.url}/api/user/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': `203.0.113.${host}` },
        body: JSON.stringify({ username: 'nobody', password: 'a wrong password' }),
      });
      await answer.text();
      statuses.push(answer.status);
    }
    assert.is(statuses.includes(429), !isTrusted, String(statuses));
  });

  test.run();
}
