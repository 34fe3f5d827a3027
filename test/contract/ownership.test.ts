/** What belongs to one user does not exist for another, on every route of the contract (S9, management-api.md 6.3). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Endpoint, pathNames } from '../../daemon/contract/endpoint.ts';
import { contract } from '../../daemon/contract/index.ts';
import { endpointsOf, type NamedEndpoint } from '../../daemon/contract/openapi.ts';
import { answerText, callEndpoint, plausibleInput } from './endpoint-call.ts';
import { type Belongings, type Caller, openSite, type Site } from './site.ts';

const ownership = suite('what belongs to another user');

let site: Site;

ownership.before(async () => {
  site = await openSite();
});
ownership.after(() => site.close());

/** By which path an own row is reached, and the row of the victim there. A path that is not listed fails the test. */
const ownRows: readonly (readonly [string, keyof Belongings])[] = [
  ['/api/token/', 'token'],
  ['/api/machine_token/', 'machineToken'],
  ['/api/user/passkey/', 'passkey'],
];

/** Whose `id` is no row of ours: the messaging bot's own number, and what a browser names a new passkey by. */
const foreignIds = new Set(['oauth.bindTelegram', 'passkeys.add']);

const own = endpointsOf(contract).filter(({ endpoint }) => endpoint.access === 'user');

async function answerTo(named: NamedEndpoint, caller: Caller, id: number): Promise<{ status: number; code: unknown }> {
  const { endpoint } = named;
  const input = plausibleInput(endpoint, 'all members', { id, ids: [id], status: 2 });
  const response = await callEndpoint({ url: site.daemon.url, endpoint, input, headers: caller.headers });
  const answer: { success: boolean; code?: string; data?: unknown } = JSON.parse(await response.text());
  return { status: response.status, code: answer.code ?? answer.data };
}

function rowOf(endpoint: Endpoint): number {
  const [, row] = ownRows.find(([start]) => endpoint.path.startsWith(start)) ?? [];
  assert.ok(row, `${endpoint.path}: say in ownRows what the victim owns there`);
  return row === undefined ? 0 : Number(site.belongings[row]);
}

ownership('is answered like what is not there, on every route with an id', async () => {
  const before = await belongingsNow();
  const reached = own.filter(({ name, endpoint }) => {
    const members = [...pathNames(endpoint.path), ...memberNames(endpoint)];
    return !foreignIds.has(name) && members.some((member) => member === 'id' || member === 'ids');
  });
  assert.ok(reached.length >= 5);
  for (const named of reached) {
    const row = rowOf(named.endpoint);
    for (const name of ['user', 'admin', 'root']) {
      const caller = callerOf(name);
      const [theirs, nobodys] = [await answerTo(named, caller, row), await answerTo(named, caller, 2_000_000_000)];
      assert.equal(theirs, nobodys, `${named.name} as ${name}`);
      // Batches count what they found; everything else says that there is nothing, or wants a session of the console.
      const isBatch = memberNames(named.endpoint).includes('ids');
      if (isBatch) assert.is(theirs.code, 0, named.name);
      else assert.match(String(theirs.code), /_not_found$|^access_token_not_supported$/, `${named.name} as ${name}`);
      assert.is(theirs.status, 200);
    }
  }
  assert.equal(await belongingsNow(), before);
});

ownership('is in no list, sum or search that others call for themselves', async () => {
  const marks = [...marksOfVictim()];
  for (const { name, endpoint } of own.filter(
    ({ endpoint: { method, path } }) => method === 'GET' && !path.includes(':'),
  )) {
    if (endpoint.effect === 'changes' || name === 'account.issueToken') continue;
    for (const who of ['user', 'admin', 'root']) {
      for (const input of [{}, victimFilters(endpoint)]) {
        const call = { url: site.daemon.url, endpoint, input, headers: callerOf(who).headers };
        const answer = await answerText(await callEndpoint(call));
        for (const mark of marks) assert.not(answer.includes(mark), `${name} shows ${mark} to ${who}: ${answer}`);
      }
    }
  }
});

ownership('is there for its owner, so that the tests above look for the right marks', async () => {
  let all = '';
  for (const { name, endpoint } of own) {
    if (endpoint.method !== 'GET' || endpoint.path.includes(':') || name === 'account.issueToken') continue;
    const call = { url: site.daemon.url, endpoint, input: {}, headers: site.victim.headers };
    all += await answerText(await callEndpoint(call));
  }
  const shown = [...marksOfVictim()].filter((mark) => all.includes(mark));
  assert.ok(shown.length >= 3, shown.join(', '));
});

ownership('is not shown to whoever names its key in a query', async () => {
  for (const who of ['user', 'admin', 'root']) {
    const url = `${site.daemon.url}/api/log/token?key=${site.planted.relayKey}`;
    const response = await fetch(url, { headers: callerOf(who).headers });
    assert.equal([response.status, JSON.parse(await response.text()).code], [200, 'token_not_found'], who);
  }
});

ownership('needs a role above a user’s wherever rows of others are reached', async () => {
  for (const { name, endpoint } of endpointsOf(contract)) {
    if (endpoint.access !== 'admin' && endpoint.access !== 'root') continue;
    const response = await callEndpoint({
      url: site.daemon.url,
      endpoint,
      input: plausibleInput(endpoint, 'all members', { id: site.victim.id, name: 'name' }),
      headers: callerOf('user').headers,
    });
    const { success, code }: { success: boolean; code: string } = JSON.parse(await response.text());
    assert.equal([response.status, success, code], [403, false, 'forbidden_role'], name);
  }
});

function callerOf(name: string): Caller {
  const caller = site.callers.get(name);
  if (!caller) throw new Error(`the site has no ${name}`);
  return caller;
}

function memberNames(endpoint: Endpoint): string[] {
  return Object.keys(endpoint.input?._zod.def.shape ?? {});
}

/** Texts that only answers about the victim hold. */
function marksOfVictim(): Set<string> {
  const { belongings, planted } = site;
  return new Set([
    'victim',
    planted.relayKey,
    planted.prompt,
    planted.webhookSecret,
    belongings.tradeNo,
    belongings.mjId,
    belongings.taskId,
  ]);
}

/** Filters that name the victim, for endpoints that have such members. */
function victimFilters(endpoint: Endpoint): Record<string, unknown> {
  const { belongings, victim } = site;
  const filters: Record<string, unknown> = {
    keyword: 'of the victim',
    username: 'victim',
    user_id: victim.id,
    token_name: 'of the victim',
    token: site.planted.relayKey,
    mj_id: belongings.mjId,
    task_id: belongings.taskId,
    trade_no: belongings.tradeNo,
    request_id: 'request-of-the-victim',
    with_content: 1,
  };
  const names = memberNames(endpoint);
  // Undeclared members are sent as well: a route must not read what the contract does not name.
  return { ...filters, ...plausibleInput(endpoint, 'required members', names.length > 0 ? filters : {}) };
}

/** Every row of the victim's, as the database has it. */
async function belongingsNow(): Promise<unknown> {
  const { id } = site.victim;
  const rowsOf = (table: string) => site.db(table).where({ user_id: id }).orderBy('id');
  const [user] = await site.db('users').where({ id }).select('quota', 'setting', 'status', 'role', 'group', 'aff_code');
  const tables = ['tokens', 'machine_tokens', 'passkeys', 'logs', 'top_ups', 'midjourneys', 'tasks'];
  return [user, ...(await Promise.all(tables.map(rowsOf)))];
}

ownership.run();
