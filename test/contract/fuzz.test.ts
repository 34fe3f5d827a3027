/** Bad input at every endpoint of the whole daemon: an envelope that names the field, never a 500. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as z from 'zod/mini';
import { type Endpoint, isQueryMember, pathNames } from '../../daemon/contract/endpoint.ts';
import { contract } from '../../daemon/contract/index.ts';
import { endpointsOf } from '../../daemon/contract/openapi.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';

const fuzz = suite('bad input');

/** Calls without an envelope to look at, or that reach out to the network when they are given something good. */
const leftOut = new Set(['account.logout', 'channels.testAll', 'channels.updateAllBalances']);
const endpoints = endpointsOf(contract).filter(({ name, endpoint }) => !leftOut.has(name) && endpoint.shape !== 'file');

const longText = 'a'.repeat(300_000);
const values: readonly unknown[] = [
  undefined,
  null,
  '',
  ' ',
  '0',
  'x',
  'NaN',
  '\u0000\u001b[31m',
  '\ud800',
  '%_\\',
  "'; drop table users; --",
  longText,
  0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53 + 2,
  1e308,
  true,
  [],
  [1, 'x'],
  [2 ** 31],
  {},
  { a: { b: null } },
];

const accessToken = 'f'.repeat(32);
let daemon: TestDaemon;

fuzz.before(async () => {
  daemon = await startTestDaemon({ config: { 'limits.search.enabled': false, 'limits.per_user.enabled': false } });
  await daemon.addChannel({ base_url: 'http://127.0.0.1:9', models: 'm' });
  await daemon.addKey();
});

fuzz.after(() => daemon.stop());

/** Some calls end the very credential that this test runs on: a new token, an own password. */
async function renewToken(): Promise<void> {
  const { database, keyring, nowSeconds } = daemon.daemon.foundation;
  await database.stores.users.setAccessToken(1, keyring.accessTokenHash(accessToken), nowSeconds() + 1000);
}

/** Something acceptable for a member that must be there. */
function plausible(name: string): unknown {
  const known: Record<string, unknown> = {
    id: 1,
    ids: [999],
    action: 'enable',
    username: 'someone',
    password: 'a good password',
    notify_type: 'email',
    quota_warning_threshold: 1,
    name: 'a name',
    key: 'Notice',
    value: 'a notice',
    status: 1,
    tag: 'a tag',
    type: 1,
    quota: 1,
    count: 1,
  };
  return known[name];
}

async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { Authorization: `Bearer ${accessToken}`, 'Content-Type': 'application/json' };
  return fetch(`${daemon.url}${path}`, { redirect: 'manual', headers, ...init });
}

function send(endpoint: Endpoint, input: Record<string, unknown>): Promise<Response> {
  const { method } = endpoint;
  let { path } = endpoint;
  const query = new URLSearchParams();
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    if (pathNames(path).includes(name)) path = path.replace(`:${name}`, encodeURIComponent(textOf(value)));
    else if (!isQueryMember(endpoint, method, name)) body[name] = value;
    else if (value !== undefined) query.set(name, textOf(value));
  }
  const hasBody = method === 'POST' || method === 'PUT';
  const url = query.size > 0 ? `${path}?${query}` : path;
  return request(url, { method, ...(hasBody ? { body: JSON.stringify(body) } : {}) });
}

/** Paths and queries are kept below the size of a header block. */
function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.slice(0, 8000).replace(/[\ud800-\udfff]/g, '?');
}

async function judge(endpoint: Endpoint, input: Record<string, unknown>, member: string): Promise<void> {
  const response = await send(endpoint, input);
  const text = await response.text();
  const shown = `${member} = ${textOf(input[member]).slice(0, 40)}: ${response.status} ${text.slice(0, 200)}`;
  const bug = daemon.log.filter((line) => line.includes('"level":"error"') || line.includes('"level":50')).at(-1);
  if (endpoint.failures === 'callback') return assert.match(text, /^fail$|Invalid URL/, shown);
  // 401 comes when another call of the same moment has just ended the credential.
  assert.ok([200, 400, 401, 403, 404, 405, 413].includes(response.status), `${shown} ${bug?.slice(0, 1500)}`);
  if (response.status === 404 || endpoint.shape === 'bare') return;
  const answer: { success: boolean; code?: string; field?: string } = JSON.parse(text);
  assert.type(answer.success, 'boolean', shown);
  if (answer.code === 'invalid_params') assert.ok(answer.field, shown);
}

for (const { name, endpoint } of endpoints) {
  const shape = endpoint.input ? endpoint.input._zod.def.shape : {};
  const members = Object.keys(shape);
  if (members.length === 0) continue;
  fuzz(`at ${name} answers an envelope, and names the member when its type is wrong`, async () => {
    const required = members.filter((member) => !(shape[member] instanceof z.ZodMiniOptional));
    for (const member of members) {
      await renewToken();
      const others = Object.fromEntries(required.map((other) => [other, plausible(other)]));
      await Promise.all(values.map((value) => judge(endpoint, { ...others, [member]: value }, member)));
    }
  });
}

fuzz.before.each(renewToken);

const bodies: readonly [string, number][] = [
  ['{', 400],
  ['[]', 400],
  ['"x"', 400],
  ['null', 400],
  ['{"a":1}x', 400],
  ['\u0000', 400],
  [`{"a":"${'x'.repeat(1_100_000)}"}`, 413],
  [`{"username":"${'x'.repeat(900_000)}"}`, 200],
];

fuzz('as a body that is no JSON object is refused before any handler sees it', async () => {
  for (const [body, status] of bodies) {
    const response = await request('/api/user/', { method: 'POST', body });
    const answer: { success: boolean } = JSON.parse(await response.text());
    assert.is(answer.success, false);
    assert.is(response.status, status, body.slice(0, 20));
  }
});

fuzz('of half a megabyte is refused unread on public routes', async () => {
  const body = `{"username":"${'x'.repeat(600_000)}","password":"x"}`;
  assert.is((await request('/api/user/login', { method: 'POST', body })).status, 413);
});

fuzz('as an identifier in the path is an unknown path', async () => {
  for (const id of ['0', '01', '-1', '1.5', 'x', '99999999999999999', '1%00', '%31', '1;2', '%2e%2e']) {
    assert.is((await request(`/api/user/${id}`)).status, 404, id);
  }
  assert.match(await (await request('/api/user/9999999999999999')).text(), /user_not_found|invalid_params/);
});

fuzz.run();
