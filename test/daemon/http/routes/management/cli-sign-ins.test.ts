/** Signing the command line in by way of the console: codes of one use, answered by a person with a fresh proof (E2). */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, type Client } from '../../../../../daemon/contract/client.ts';
import { removeExpiredCliSignIns } from '../../../../../daemon/domain/cli-sign-ins.ts';
import { type HttpHarness, startHttpHarness, type TestUser } from '../../../../support/http-harness.ts';

const signIn = suite('signing the command line in by way of the console');

const day = 86_400;
const verifier = 'v'.repeat(43);
const challenge = createHash('sha256').update(verifier).digest('base64url');

let harness: HttpHarness;
signIn.before(async () => {
  harness = await startHttpHarness({ failuresPerName: 3 });
});
signIn.after(() => harness.close());

const now = () => harness.world.nowSeconds();
const stores = () => harness.world.database.stores;
const nobody = () => harness.client().cliSignIns;

async function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => '',
    (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
  );
}

/** The console of a user: calls by session. */
function consoleOf(user: TestUser): Client {
  return harness.client(undefined, { credentials: () => ({ cookie: user.cookie, userId: user.user.id }) });
}

async function prove(user: TestUser): Promise<void> {
  await consoleOf(user).stepUp.prove({ action: 'machine_token', method: 'password', password: user.password });
}

const wish = () => ({ name: 'tollgate on build-7', scopes: ['*' as const], expires_at: now() + 30 * day });
const begin = () => nobody().begin(wish());
const ask = (code: string) => nobody().token({ grant: 'device_code', code });
/** The next question that is not too soon. */
function askInTime(code: string): ReturnType<typeof ask> {
  harness.world.clock.seconds += 5;
  return ask(code);
}

async function auditsOf(action: string) {
  const { items } = await stores().audits.list({ action }, { offset: 0, limit: 1 });
  const detail: Record<string, unknown> = JSON.parse(items[0]?.detail ?? '{}');
  return { actor: items[0]?.actorName, detail };
}

signIn('gives a program its token once a person has typed its code, proven who they are, and agreed', async () => {
  const user = await harness.addUser();
  const { device_code, user_code, interval, expires_in } = await begin();
  assert.match(user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
  assert.equal([interval, expires_in], [5, 600]);
  assert.is(await codeOf(ask(device_code)), 'authorization_pending');
  const calls = consoleOf(user).cliSignIns;
  const typed = { user_code: ` ${user_code.replace('-', ' ').toLowerCase()}` };
  const shown = await calls.find(typed);
  assert.equal(
    [shown.name, shown.scopes, shown.expires_at, shown.ip, shown.same_address, shown.valid_until - shown.created_at],
    [
      'tollgate on build-7',
      ['user:write', 'token:write', 'log:read', 'order:write'],
      wish().expires_at,
      '127.0.0.1',
      true,
      600,
    ],
    'what a user may grant, not what an administrator may',
  );
  assert.is(await codeOf(calls.approve(typed)), 'step_up_required');
  await prove(user);
  await calls.approve(typed);
  assert.is(await codeOf(calls.find(typed)), 'user_code_unknown', 'it has been answered');
  const { secret, scopes } = await askInTime(device_code);
  assert.equal(scopes, shown.scopes);
  const holder = harness.client(undefined, { credentials: () => ({ accessToken: secret }) });
  assert.is((await holder.account.credential()).username, user.user.username);
  assert.is(await codeOf(askInTime(device_code)), 'authorization_expired', 'it gives one token');
  const { actor, detail } = await auditsOf('cli_sign_in.approve');
  assert.equal(
    [actor, detail.way, detail.name, detail.asked_from],
    [user.user.username, 'device', shown.name, '127.0.0.1'],
  );
  assert.is((await auditsOf('machine_token.create')).actor, user.user.username);
});

signIn('gives no token while the sessions of whoever agreed are being ended', async () => {
  const user = await harness.addUser();
  const { device_code, user_code } = await begin();
  await prove(user);
  await consoleOf(user).cliSignIns.approve({ user_code });
  const { asked } = await harness.world.database.transaction(async ({ users }) => {
    await users.bumpAuthVersion(user.user.id);
    const asking = codeOf(askInTime(device_code));
    await sleep(300);
    return { asked: asking };
  });
  assert.is(await asked, 'authorization_expired');
});

signIn('counts no code that is right, however often somebody looks who asks', async () => {
  const user = await harness.addUser();
  const { user_code } = await begin();
  for (let look = 0; look < 11; look += 1) await consoleOf(user).cliSignIns.find({ user_code });
});

signIn('keeps no code but as a hash, and none longer than its time', async () => {
  const { device_code, user_code } = await begin();
  const rows = JSON.stringify(
    await stores().cliSignIns.findByUserCode(hashOf('user_code', user_code.replace('-', ''))),
  );
  assert.ok(rows.includes(hashOf('device_code', device_code)));
  for (const code of [device_code, user_code, user_code.replace('-', '')]) assert.not.ok(rows.includes(code));
  const user = await harness.addUser();
  harness.world.clock.seconds += 600;
  assert.is(await codeOf(ask(device_code)), 'authorization_expired');
  assert.is(await codeOf(consoleOf(user).cliSignIns.find({ user_code })), 'user_code_unknown');
  await removeExpiredCliSignIns({ stores: stores(), nowSeconds: now });
  assert.is(await stores().cliSignIns.findByExchange(hashOf('device_code', device_code)), undefined);
});

function hashOf(purpose: string, code: string): string {
  return harness.world.keyring.codeHash(`cli:${purpose}`, '', code);
}

signIn('tells too fast a program to slow down, and one that was refused that it was', async () => {
  const user = await harness.addUser();
  const { device_code, user_code } = await begin();
  assert.is(await codeOf(askInTime(device_code)), 'authorization_pending');
  harness.world.clock.seconds += 4;
  assert.is(await codeOf(ask(device_code)), 'slow_down');
  await consoleOf(user).cliSignIns.deny({ user_code });
  assert.is(await codeOf(askInTime(device_code)), 'authorization_denied');
  await prove(user);
  assert.is(await codeOf(consoleOf(user).cliSignIns.approve({ user_code })), 'user_code_unknown');
  assert.is((await auditsOf('cli_sign_in.deny')).actor, user.user.username);
});

signIn('lets nobody guess codes for long, and answers neither access tokens nor machine tokens', async () => {
  const user = await harness.addUser();
  const { user_code } = await begin();
  const calls = consoleOf(user).cliSignIns;
  for (const _ of [1, 2, 3]) assert.is(await codeOf(calls.find({ user_code: 'BBBB-BBBB' })), 'user_code_unknown');
  assert.is(await codeOf(calls.find({ user_code })), 'user_code_unknown', 'the right one is not found any more either');
  const other = await harness.addUser();
  assert.is(await codeOf(harness.client(other).cliSignIns.find({ user_code })), 'access_token_not_supported');
  assert.is(await codeOf(harness.client(other).cliSignIns.approve({ user_code })), 'access_token_not_supported');
  assert.is((await consoleOf(other).cliSignIns.find({ user_code })).name, wish().name);
});

signIn('gives nothing to whoever was signed out, disabled or made less since they agreed', async () => {
  const user = await harness.addUser({ role: 10 });
  const { device_code, user_code } = await begin();
  await prove(user);
  await consoleOf(user).cliSignIns.approve({ user_code });
  await stores().users.bumpAuthVersion(user.user.id);
  assert.is(await codeOf(askInTime(device_code)), 'authorization_expired');
  assert.equal(await stores().machineTokens.listOfUser(user.user.id), []);
});

signIn('carries a code to a program on the same machine, which shows the verifier behind it', async () => {
  const user = await harness.addUser({ role: 10 });
  const calls = consoleOf(user).cliSignIns;
  const narrow = { ...wish(), scopes: ['log:read' as const] };
  assert.is(await codeOf(calls.authorize({ ...narrow, challenge })), 'step_up_required');
  await prove(user);
  const exchange = (code: string, shown = verifier) =>
    nobody().token({ grant: 'authorization_code', code, verifier: shown });
  const { code } = await calls.authorize({ ...narrow, challenge });
  assert.equal((await exchange(code)).scopes, ['log:read']);
  assert.is(await codeOf(exchange(code)), 'authorization_expired');

  const { code: stolen } = await calls.authorize({ ...narrow, challenge });
  assert.is(await codeOf(ask(stolen)), 'authorization_expired', 'it is no code of a device');
  assert.is(await codeOf(exchange(stolen, 'w'.repeat(43))), 'authorization_expired');
  assert.is(await codeOf(exchange(stolen)), 'authorization_expired', 'a wrong verifier ends it');

  const { code: late } = await calls.authorize({ ...narrow, challenge });
  harness.world.clock.seconds += 60;
  assert.is(await codeOf(exchange(late)), 'authorization_expired');
});

signIn('grants no more than the role of whoever agrees, and no longer than a machine token may live', async () => {
  const user = await harness.addUser();
  await prove(user);
  const { user_code } = await nobody().begin({ ...wish(), scopes: ['channel:write'] });
  assert.is(await codeOf(consoleOf(user).cliSignIns.approve({ user_code })), 'scope_beyond_role');
  const wide = { ...wish(), scopes: ['channel:write' as const], challenge };
  assert.is(await codeOf(consoleOf(user).cliSignIns.authorize(wide)), 'scope_beyond_role');
  const { code } = await consoleOf(user).cliSignIns.authorize({ ...wish(), challenge });
  const { scopes } = await nobody().token({ grant: 'authorization_code', code, verifier });
  assert.ok(scopes.includes('token:write') && !scopes.some((scope) => scope.startsWith('channel:')), 'all of its own');
  assert.is(await codeOf(nobody().begin({ ...wish(), expires_at: now() + 366 * day })), 'machine_token_expiry_invalid');
  assert.is(await codeOf(nobody().begin({ ...wish(), name: ' ' })), 'token_name_required');
});

signIn.run();
