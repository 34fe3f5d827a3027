/** The billing look-alikes as the clients that poll them see them, through a whole daemon. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../../../support/daemon.ts';

const billing = suite('billing look-alikes');

let daemon: TestDaemon;
let limited: string;
let unlimited: string;

billing.before(async () => {
  daemon = await startTestDaemon();
  limited = await daemon.addKey({
    name: 'limited',
    unlimited_quota: false,
    remain_quota: 1_000_000,
    expired_time: 4_000_000_000,
    model_limits_enabled: true,
    model_limits: 'gpt-4o,gpt-4o-mini',
  });
  unlimited = await daemon.addKey({ name: 'unlimited' });
});

billing.after(() => daemon.stop());

async function read(path: string, key: string) {
  const response = await fetch(`${daemon.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

billing('tell what a key was given and has used, in dollars', async () => {
  for (const prefix of ['', '/v1', '/hf/v1']) {
    const path = `${prefix}/dashboard/billing/subscription`;
    assert.equal((await read(path, limited)).body, {
      object: 'billing_subscription',
      has_payment_method: true,
      soft_limit_usd: 2,
      hard_limit_usd: 2,
      system_hard_limit_usd: 2,
      access_until: 4_000_000_000,
    });
  }
  for (const path of ['/dashboard/billing/usage', '/v1/dashboard/billing/usage?start_date=2026-01-01&end_date=x']) {
    assert.equal((await read(path, limited)).body, { object: 'list', total_usage: 0 });
  }
});

billing('tell a large limit of a key without one', async () => {
  const { body } = await read('/v1/dashboard/billing/subscription', unlimited);
  assert.is(body.hard_limit_usd, 100_000_000);
  assert.is(body.access_until, 0);
});

billing('tell the account and plain quota where the options say so', async () => {
  await daemon.root.options.set({ key: 'DisplayTokenStatEnabled', value: 'false' });
  await daemon.root.options.set({ key: 'DisplayInCurrencyEnabled', value: 'false' });
  const { quota } = await daemon.root.account.get();
  const { body } = await read('/dashboard/billing/subscription', limited);
  assert.is(body.hard_limit_usd, quota);
  await daemon.root.options.set({ key: 'DisplayTokenStatEnabled', value: 'true' });
  assert.is((await read('/dashboard/billing/subscription', limited)).body.hard_limit_usd, 1_000_000);
  await daemon.root.options.set({ key: 'DisplayInCurrencyEnabled', value: 'true' });
});

billing('tell quota and limits of a key under its own path', async () => {
  const { body, headers } = await read('/api/usage/token/', limited);
  assert.equal(body, {
    code: true,
    message: 'ok',
    data: {
      object: 'token_usage',
      name: 'limited',
      total_granted: 1_000_000,
      total_used: 0,
      total_available: 1_000_000,
      unlimited_quota: false,
      model_limits: { 'gpt-4o': true, 'gpt-4o-mini': true },
      model_limits_enabled: true,
      expires_at: 4_000_000_000,
    },
  });
  assert.is(headers.get('access-control-allow-origin'), '*');
  assert.is(headers.get('access-control-allow-credentials'), null);
});

billing('refuse an unknown key in the form of OpenAI, readable by pages of any origin', async () => {
  for (const path of ['/dashboard/billing/usage', '/v1/dashboard/billing/subscription', '/api/usage/token']) {
    const { status, body, headers } = await read(path, `sk-${'x'.repeat(48)}`);
    assert.is(status, 401, path);
    assert.is(body.error.type, 'tollgate_error');
    assert.is(body.error.code, 'access_denied');
    assert.is(headers.get('access-control-allow-origin'), '*');
    assert.match(headers.get('access-control-expose-headers') ?? '', /X-Request-Id, Request-Id, Retry-After/);
  }
});

billing('fail in the language of the relay: the one asked for, else the one that the option names', async () => {
  const messageFor = async (headers: Record<string, string>) => {
    const response = await fetch(`${daemon.url}/v1/dashboard/billing/usage`, { headers });
    return (await response.json()).error.message;
  };
  const chinese = /[\u4e00-\u9fff]/;
  assert.not.match(await messageFor({}), chinese);
  assert.match(await messageFor({ 'accept-language': 'zh-CN' }), chinese);
  await daemon.root.options.set({ key: 'RelayErrorLanguage', value: 'zh' });
  assert.match(await messageFor({}), chinese);
  assert.not.match(await messageFor({ 'accept-language': 'en' }), chinese);
  // What cannot be read says nothing of its language either.
  assert.match(await messageFor({ 'x-large': 'a'.repeat(70_000), 'accept-language': 'en' }), /^请求的地址和请求头超过/);
  await daemon.root.options.set({ key: 'RelayErrorLanguage', value: 'en' });
});

billing('find the key wherever calls may carry it, and answer another method as the relay does', async () => {
  const path = '/v1/dashboard/billing/usage';
  const status = async (headers: Record<string, string>) => (await fetch(daemon.url + path, { headers })).status;
  assert.is(await status({ 'x-api-key': limited }), 200);
  assert.is(await status({ 'api-key': limited, authorization: `Bearer ${limited}` }), 200);
  assert.is(await status({ 'x-api-key': limited, authorization: `Bearer ${unlimited}` }), 400);
  for (const place of [path, '/dashboard/billing/subscription/', '/api/usage/token']) {
    const refused = await fetch(daemon.url + place, { method: 'POST' });
    assert.equal([refused.status, refused.headers.get('allow')], [405, 'GET, HEAD']);
    const { error } = await refused.json();
    assert.equal(error, {
      message: `Invalid URL (POST ${place})`,
      type: 'invalid_request_error',
      param: '',
      code: 'method_not_allowed',
    });
  }
});

billing('answer the preflight of a page elsewhere, and of no other endpoint', async () => {
  const ask = (path: string) => fetch(`${daemon.url}${path}`, { method: 'OPTIONS' });
  const allowed = await ask('/api/usage/token/');
  assert.is(allowed.status, 204);
  assert.is(allowed.headers.get('access-control-allow-headers'), 'Authorization');
  const asked = { 'access-control-request-headers': 'authorization, x-page' };
  const echoed = await fetch(`${daemon.url}/dashboard/billing/usage`, { method: 'OPTIONS', headers: asked });
  assert.is(echoed.headers.get('access-control-allow-headers'), 'authorization, x-page');
  const refused = await ask('/api/user/self');
  assert.is(refused.status, 405);
  assert.is(refused.headers.get('access-control-allow-origin'), null);
});

billing('refuse browser extensions where the operator wants that', async () => {
  const ask = async (path: string, origin: string) => {
    const headers = { authorization: `Bearer ${limited}`, origin };
    const response = await fetch(`${daemon.url}${path}`, { headers });
    return [response.status, (await response.json()).error?.code];
  };
  const paths = ['/dashboard/billing/subscription', '/v1/dashboard/billing/usage', '/api/usage/token/'];
  for (const path of paths) assert.equal(await ask(path, 'chrome-extension://abc'), [200, undefined], path);
  await daemon.root.options.set({ key: 'global.block_browser_extension_enabled', value: 'true' });
  for (const path of paths) {
    assert.equal(await ask(path, 'chrome-extension://abc'), [403, 'browser_extension_blocked'], path);
    assert.equal(await ask(path, 'https://page.test'), [200, undefined], path);
  }
  await daemon.root.options.set({ key: 'global.block_browser_extension_enabled', value: 'false' });
});

billing.run();
