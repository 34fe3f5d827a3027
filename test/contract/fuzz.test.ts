/** Bad input at every endpoint of accounts, setup and status: an envelope that names the field, never a 500. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as z from 'zod/mini';
import { type Endpoint, isQueryMember, pathNames } from '../../daemon/contract/endpoint.ts';
import { contract } from '../../daemon/contract/index.ts';
import { type HttpHarness, startHttpHarness, type TestUser } from '../support/http-harness.ts';

const fuzz = suite('bad input');

const endpoints: readonly (readonly [string, Endpoint])[] = [
  ...Object.entries(contract.setup),
  ...Object.entries(contract.status),
  ...Object.entries(contract.pageContent),
  ...Object.entries(contract.account),
  ...Object.entries(contract.users),
  ...Object.entries(contract.reference),
].filter(([name]) => name !== 'logout');

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
  {},
  { a: { b: null } },
];

let harness: HttpHarness;
let root: TestUser;

fuzz.before(async () => {
  harness = await startHttpHarness();
  root = await harness.setup();
});

fuzz.after(() => harness.close());

/** Some calls end the very credential that this test runs on: a new token, an own password. */
async function renewToken(): Promise<void> {
  const { user } = root;
  const accessToken = await harness.accessTokens.issue({ ...user, userId: user.id, via: 'session', ip: '' });
  root = { ...root, accessToken };
}

function plausible(name: string): unknown {
  const known: Record<string, unknown> = {
    id: 1,
    action: 'enable',
    username: 'someone',
    password: 'a good password',
    notify_type: 'email',
    quota_warning_threshold: 1,
  };
  return known[name];
}

async function send(endpoint: Endpoint, input: Record<string, unknown>): Promise<Response> {
  const { method } = endpoint;
  let { path } = endpoint;
  const query = new URLSearchParams();
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    if (pathNames(path).includes(name)) path = path.replace(`:${name}`, encodeURIComponent(textOf(value)));
    else if (!isQueryMember(endpoint, method, name)) body[name] = value;
    else if (value !== undefined) query.set(name, textOf(value).slice(0, 8000));
  }
  const hasBody = method === 'POST' || method === 'PUT';
  const url = query.size > 0 ? `${path}?${query}` : path;
  return harness.request(url, {
    method,
    as: root,
    via: 'access-token',
    ...(hasBody ? { body: JSON.stringify(body) } : {}),
  });
}

/** Paths and queries are kept below the size of a header block. */
function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.slice(0, 8000).replace(/[\ud800-\udfff]/g, '?');
}

fuzz('in any member answers an envelope, and names the member when the type is wrong', async () => {
  for (const [name, endpoint] of endpoints) {
    const shape = endpoint.input ? endpoint.input._zod.def.shape : {};
    const members = Object.keys(shape);
    const required = members.filter((member) => !(shape[member] instanceof z.ZodMiniOptional));
    for (const member of members) {
      for (const value of values) {
        const input = { ...Object.fromEntries(required.map((other) => [other, plausible(other)])), [member]: value };
        await renewToken();
        const response = await send(endpoint, input);
        const text = await response.text();
        const shown = `${name}.${member} = ${textOf(value).slice(0, 40)}: ${response.status} ${text.slice(0, 200)}`;
        assert.ok([200, 400, 403, 404, 405, 413].includes(response.status), `${shown} ${harness.failures.at(-1)}`);
        if (response.status === 404) continue;
        const answer: { success: boolean; code?: string; field?: string } = JSON.parse(text);
        assert.type(answer.success, 'boolean', shown);
        if (answer.code === 'invalid_params') assert.ok(answer.field, shown);
      }
    }
  }
});

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

fuzz.before.each(renewToken);

fuzz('as a body that is no JSON object is refused before any handler sees it', async () => {
  for (const [body, status] of bodies) {
    const response = await harness.request('/api/user/', { method: 'POST', body, as: root, via: 'access-token' });
    const answer: { success: boolean } = JSON.parse(await response.text());
    assert.is(answer.success, false);
    assert.is(response.status, status, body.slice(0, 20));
  }
});

fuzz('of half a megabyte is refused unread on public routes', async () => {
  const body = `{"username":"${'x'.repeat(600_000)}","password":"x"}`;
  const response = await harness.request('/api/user/login', { method: 'POST', body });
  assert.is(response.status, 413);
});

fuzz('as an identifier in the path is an unknown path', async () => {
  for (const id of ['0', '01', '-1', '1.5', 'x', '99999999999999999', '1%00', '%31', '1;2', '%2e%2e']) {
    const response = await harness.request(`/api/user/${id}`, { as: root, via: 'access-token' });
    assert.is(response.status, 404, id);
  }
  const large = await harness.request('/api/user/9999999999999999', { as: root, via: 'access-token' });
  assert.match(await large.text(), /user_not_found|invalid_params/);
});

fuzz.run();
