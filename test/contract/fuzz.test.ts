/** Bad input at every endpoint of the whole daemon: an envelope that names the field, never a 500. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as z from 'zod/mini';
import { bodyLimitOf, type Endpoint, isQueryMember, pathNames } from '../../daemon/contract/endpoint.ts';
import { contract } from '../../daemon/contract/index.ts';
import { endpointsOf } from '../../daemon/contract/openapi.ts';
import { coerceText } from '../../daemon/http/coerce.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { testEngine } from '../support/servers.ts';
import { answerText, callEndpoint, isEventStream, plausibleInput, textOf } from './endpoint-call.ts';

const fuzz = suite('bad input');

/** Calls without an envelope to look at, or that reach out to the network when they are given something good. */
const leftOut = new Set(['account.logout', 'channels.testAll', 'channels.updateAllBalances']);
const endpoints = endpointsOf(contract).filter(({ name, endpoint }) => !leftOut.has(name) && endpoint.shape !== 'file');

const longText = 'a'.repeat(100_000);
/** Ordinary values where they do not belong. What PostgreSQL takes of them SQLite does too, whose columns know no types. */
const misplaced: readonly unknown[] = [
  '',
  ' ',
  '0',
  'x',
  'NaN',
  0,
  -1,
  1.5,
  true,
  [],
  [1, 'x'],
  {},
  { a: { b: null } },
];
/** What a database, a parser or a stack may stumble over. */
const extreme: readonly unknown[] = [
  undefined,
  null,
  '\u0000\u001b[31m',
  '\ud800',
  '%_\\',
  "'; drop table users; --",
  longText,
  2 ** 31,
  2 ** 53 + 2,
  1e308,
  [2 ** 31],
  JSON.parse(`${'['.repeat(60)}${']'.repeat(60)}`),
  // Texts that are JSON themselves, as many members are, nested so that walking them would exhaust the stack.
  `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
  `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
  JSON.parse('{"__proto__":{"role":100},"constructor":{"prototype":1},"toString":1}'),
];

/** Refusals that are about the state of things and not about what was sent: they have no field to name. */
const aboutState =
  /_not_found$|_done$|_off$|_running$|^oauth_|^forbidden|^access_|^user_(same|root|already|promote|deleted)|_taken$|^login_failed$|^reset_invalid$|_expired$|^option_unknown$|_failed$|^method_not|^not_found$|_hidden$|_conflict$|_required$|_nowhere$|_last$/;

const accessToken = 'f'.repeat(32);
let daemon: TestDaemon;

fuzz.before(async () => {
  const roomy = { 'limits.event_streams_per_user': 500 };
  const unlimited = { 'limits.search.enabled': false, 'limits.per_user.enabled': false };
  // Thousands of calls would leave a line each.
  daemon = await startTestDaemon({ config: { ...unlimited, ...roomy, 'log.level': 'error' } });
  await daemon.addChannel({ base_url: 'http://127.0.0.1:9', models: 'm' });
  await daemon.addKey();
});

fuzz.after(() => daemon.stop());

/** Some calls end the very credential that this test runs on: a new token, an own password. */
async function renewToken(): Promise<void> {
  const { database, keyring, nowSeconds } = daemon.daemon.foundation;
  await database.stores.users.setAccessToken(1, keyring.accessTokenHash(accessToken), nowSeconds() + 1000);
}

async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { Authorization: `Bearer ${accessToken}`, 'Content-Type': 'application/json' };
  return fetch(`${daemon.url}${path}`, { redirect: 'manual', headers, ...init });
}

function send(endpoint: Endpoint, input: Record<string, unknown>): Promise<Response> {
  return callEndpoint({ url: daemon.url, endpoint, input, headers: { Authorization: `Bearer ${accessToken}` } });
}

async function judge(endpoint: Endpoint, input: Record<string, unknown>, member: string): Promise<void> {
  const response = await send(endpoint, input);
  const text = await answerText(response);
  const shown = `${member} = ${textOf(input[member]).slice(0, 40)}: ${response.status} ${text.slice(0, 200)}`;
  const bug = daemon.log.at(-1);
  if (endpoint.failures === 'callback') return assert.match(text, /^fail$|Invalid URL/, shown);
  // 401 comes when another call of the same moment has just ended the credential.
  assert.ok([200, 400, 401, 403, 404, 405, 413].includes(response.status), `${shown} ${bug?.slice(0, 1500)}`);
  if (response.status === 404 || endpoint.shape === 'bare' || isEventStream(response)) return;
  const answer: { success: boolean; code?: string; field?: string } = JSON.parse(text);
  assert.type(answer.success, 'boolean', shown);
  assert.ok(answer.success || answer.field || aboutState.test(answer.code ?? ''), shown);
}

const isText = (endpoint: Endpoint, member: string) =>
  isQueryMember(endpoint, endpoint.method, member) || pathNames(endpoint.path).includes(member);

/** What a member is sent as; in a query and a path, several of the values are the same text. */
function differing(endpoint: Endpoint, member: string, among: readonly unknown[]): unknown[] {
  if (!isText(endpoint, member)) return [...among];
  return [...new Map(among.map((value) => [value === undefined ? value : textOf(value), value])).values()];
}

/** What the contract finds wrong first, which is all that a refusal goes by; undefined where it takes the input. */
function refusalOf(endpoint: Endpoint, input: Record<string, unknown>): string | undefined {
  if (endpoint.input === undefined) return undefined;
  const read = Object.entries(input).map(([name, value]) => [
    name,
    value !== undefined && isText(endpoint, name) ? coerceText(endpoint.input, name, textOf(value)) : value,
  ]);
  const issue = z.safeParse(endpoint.input, Object.fromEntries(read)).error?.issues[0];
  return issue && `${issue.path.join('.')}: ${issue.message}`;
}

/**
 * The inputs that tell something: what the contract refuses comes near no database, so the pass with SQLite asks it for
 * both, once for each refusal; what it takes is asked where it may end differently.
 */
function tellingInputs(endpoint: Endpoint, member: string): Record<string, unknown>[] {
  const others = plausibleInput(endpoint, 'required members', { ids: [999], value: 'a notice' });
  const inputsOf = (among: readonly unknown[]) =>
    differing(endpoint, member, among).map((value) => ({ ...others, [member]: value }));
  const all = inputsOf([...misplaced, ...extreme]);
  const isTaken = (input: Record<string, unknown>) => refusalOf(endpoint, input) === undefined;
  if (testEngine() === 'postgres') return all.filter(isTaken);
  const refused = new Map(all.map((input) => [refusalOf(endpoint, input), input]));
  refused.delete(undefined);
  return [...inputsOf(extreme).filter(isTaken), ...refused.values()];
}

for (const { name, endpoint } of endpoints) {
  const shape = endpoint.input ? endpoint.input._zod.def.shape : {};
  const members = Object.keys(shape);
  if (members.length === 0) continue;
  fuzz(`at ${name} answers an envelope, and names the member when its type is wrong`, async () => {
    for (const member of members) {
      await renewToken();
      await Promise.all(tellingInputs(endpoint, member).map((input) => judge(endpoint, input, member)));
    }
  });
}

fuzz.before.each(renewToken);

const writes = endpoints.filter(({ endpoint: { method } }) => method === 'POST' || method === 'PUT');

/** Sends a body as it is; the answer must be an envelope without a success, and no failure of ours. */
async function sendRaw(endpoint: Endpoint, body: string, type: string): Promise<Response> {
  const path = endpoint.path.replace(/:[a-z_]+/g, '1');
  return fetch(`${daemon.url}${path}`, {
    method: endpoint.method,
    headers: { Authorization: `Bearer ${accessToken}`, 'Content-Type': type },
    body,
  });
}

fuzz('as a body of another type, or nested beyond reason, is no failure of ours anywhere', async () => {
  const deep = `{"id":1,"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  const shapes: readonly (readonly [string, string])[] = [
    ['a=1&a=2', 'application/x-www-form-urlencoded'],
    ['--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--', 'multipart/form-data; boundary=x'],
    ['<a/>', 'application/xml'],
    ['\u00ff\u00fe', 'application/octet-stream'],
    ['{"id":1,"id":2,"id":{}}', 'application/json'],
    ['{"id":NaN}', 'application/json'],
    ['{"id":1e999}', 'application/json; charset=utf-16'],
    [deep, 'application/json'],
  ];
  for (const { name, endpoint } of writes) {
    await renewToken();
    for (const [body, type] of shapes) {
      const response = await sendRaw(endpoint, body, type);
      const text = await response.text();
      assert.ok(response.status < 500, `${name} with ${type}: ${response.status} ${text.slice(0, 300)}`);
      if (endpoint.failures === 'callback') continue;
      assert.type(JSON.parse(text).success, 'boolean', `${name}: ${text.slice(0, 300)}`);
    }
  }
});

fuzz('as a body above the limit of its endpoint is refused unread', async () => {
  for (const { name, endpoint } of writes) {
    // Refused for its credential before anything is read.
    if (endpoint.credential === 'session-only') continue;
    await renewToken();
    const body = `{"a":"${'x'.repeat(bodyLimitOf(endpoint))}"}`;
    const { status } = await sendRaw(endpoint, body, 'application/json');
    assert.is(status, 413, name);
  }
});

fuzz('as a text of almost all that a body may hold is read and judged', async () => {
  for (const { name, endpoint } of writes) {
    const shape = endpoint.input?._zod.def.shape ?? {};
    const member = Object.keys(shape).find((each) => !isQueryMember(endpoint, endpoint.method, each) && each !== 'id');
    if (member === undefined) continue;
    await renewToken();
    const room = Math.min(bodyLimitOf(endpoint), 1_048_576) - 10_000;
    const input = { ...plausibleInput(endpoint, 'required members'), [member]: 'x'.repeat(room) };
    const { status } = await send(endpoint, input);
    assert.ok(status < 500 && status !== 413, `${name}: ${status}`);
  }
});

fuzz('as a query that names a member twice is judged by its first and breaks nothing', async () => {
  for (const { name, endpoint } of endpoints) {
    const members = Object.keys(endpoint.input?._zod.def.shape ?? {}).filter(
      (member) => isQueryMember(endpoint, endpoint.method, member) && !pathNames(endpoint.path).includes(member),
    );
    if (members.length === 0) continue;
    await renewToken();
    const twice = members.flatMap((member) => [`${member}=1`, `${member}=x`, `${member}[]=%00`, `${member}[a]=%ff%fe`]);
    const path = endpoint.path.replace(/:[a-z_]+/g, '1');
    const response = await request(`${path}?${twice.join('&')}&p=1&p=-1&page_size=1e9&page_size=0`, {
      method: endpoint.method,
    });
    assert.ok(response.status < 500, `${name}: ${response.status} ${await answerText(response)}`);
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

fuzz('as a body that is no JSON object is refused before any handler sees it', async () => {
  for (const [body, status] of bodies) {
    const response = await request('/api/user/', { method: 'POST', body });
    const answer: { success: boolean } = JSON.parse(await response.text());
    assert.is(answer.success, false);
    assert.is(response.status, status, body.slice(0, 20));
  }
});

fuzz('as an identifier in the path is an unknown path', async () => {
  for (const id of ['0', '01', '-1', '1.5', 'x', '99999999999999999', '1%00', '%31', '1;2', '%2e%2e']) {
    assert.is((await request(`/api/user/${id}`)).status, 404, id);
  }
  assert.match(await (await request('/api/user/9999999999999999')).text(), /user_not_found|invalid_params/);
});

fuzz.run();
