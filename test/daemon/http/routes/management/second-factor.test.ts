import { TOTP } from 'otpauth';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, type Client } from '../../../../../daemon/contract/client.ts';
import { TwoFactorRequired } from '../../../../../daemon/contract/second-factor.ts';
import { openBrowser } from '../../../../support/api-browser.ts';
import { type HttpHarness, startHttpHarness, type TestUser } from '../../../../support/http-harness.ts';
import { assertRefused } from '../../../../support/refusals.ts';

const twoFactor = suite('the second factor');

let harness: HttpHarness;
let root: TestUser;

twoFactor.before(async () => {
  harness = await startHttpHarness({ failuresPerName: 8 });
  root = await harness.setup();
});

twoFactor.after(() => harness.close());

const visitor = () => openBrowser(harness.url);

/** The code of an app; each call moves the clock on, so that it is a new one. */
function nextCode(secret: string): string {
  harness.world.clock.seconds += 30;
  return codeNow(secret);
}

function codeNow(secret: string): string {
  return new TOTP({ secret }).generate({ timestamp: harness.world.nowSeconds() * 1000 });
}

async function protectedUser(): Promise<{ user: TestUser; secret: string; recovery: string[] }> {
  const user = await harness.addUser();
  await proveByPassword(user);
  const { secret } = await session(user).secondFactor.begin();
  const { recovery_codes: recovery } = await session(user).secondFactor.enable({ code: nextCode(secret) });
  return { user, secret, recovery };
}

function proveByPassword({ password, ...user }: TestUser): Promise<unknown> {
  const proof = { action: 'second_factor', method: 'password', password } as const;
  return session({ ...user, password }).stepUp.prove(proof);
}

function session(user: TestUser): Client {
  return harness.client(undefined, { credentials: () => ({ cookie: user.cookie, userId: user.user.id }) });
}

/** What the first step asks for. */
async function firstStep(client: Client, user: TestUser): Promise<TwoFactorRequired> {
  try {
    await client.account.login({ username: user.user.username, password: user.password });
  } catch (error) {
    assert.ok(error instanceof ApiError && error.code === 'two_factor_required', String(error));
    assert.is(error.status, 200);
    return TwoFactorRequired.parse(error.data);
  }
  throw new Error('signed in without the second factor');
}

twoFactor('is begun, enabled by its first code, and asks at the next sign-in', async () => {
  const user = await harness.addUser();
  const mine = session(user);
  assert.equal(await mine.secondFactor.get(), { enabled: false, recovery_left: 0 });
  await proveByPassword(user);
  const begun = await mine.secondFactor.begin();
  assert.match(begun.otpauth_url, `secret=${begun.secret}`);
  const before = visitor();
  await before.client.account.login({ username: user.user.username, password: user.password });
  await assertRefused(mine.secondFactor.enable({ code: '000000' }), 'two_factor_code_invalid');
  const { recovery_codes: codes } = await mine.secondFactor.enable({ code: codeNow(begun.secret) });
  assert.is(new Set(codes).size, 10);
  assert.match(codes[0] ?? '', /^[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{4}$/);
  assert.equal(await mine.secondFactor.get(), { enabled: true, recovery_left: 10 });
  before.userId = user.user.id;
  await assertRefused(before.client.account.get(), 'session_expired');

  const visit = visitor();
  const { ticket, methods } = await firstStep(visit.client, user);
  assert.equal(methods, ['totp', 'recovery']);
  visit.userId = user.user.id;
  await assertRefused(visit.client.account.get(), 'auth_required');
  const signedIn = await visit.client.secondFactor.signIn({ ticket, method: 'totp', code: nextCode(begun.secret) });
  assert.is(signedIn.id, user.user.id);
  assert.is((await visit.client.account.get()).username, user.user.username);
});

twoFactor('takes no code twice, not even one that enabled it, and says that the next one will do', async () => {
  const { user, secret } = await protectedUser();
  const [one, two] = [visitor(), visitor()];
  const first = await firstStep(one.client, user);
  const enabling = { ticket: first.ticket, method: 'totp', code: codeNow(secret) } as const;
  await assertRefused(one.client.secondFactor.signIn(enabling), 'two_factor_code_used');
  const code = nextCode(secret);
  await one.client.secondFactor.signIn({ ...enabling, code });
  const second = await firstStep(two.client, user);
  await assertRefused(
    two.client.secondFactor.signIn({ ticket: second.ticket, method: 'totp', code }),
    'two_factor_code_used',
  );
  await assertRefused(
    two.client.secondFactor.signIn({ ticket: second.ticket, method: 'totp', code: '000000' }),
    'two_factor_code_invalid',
  );
});

twoFactor('takes each recovery code once, however it is written', async () => {
  const { user, recovery } = await protectedUser();
  const [code = '', other = ''] = recovery;
  const visit = visitor();
  const { ticket } = await firstStep(visit.client, user);
  const spelt = ` ${code.toUpperCase().replaceAll('-', ' ')}`;
  await visit.client.secondFactor.signIn({ ticket, method: 'recovery', code: spelt });
  visit.userId = user.user.id;
  assert.equal(await visit.client.secondFactor.get(), { enabled: true, recovery_left: 9 });
  const again = visitor();
  const next = await firstStep(again.client, user);
  const typed = { ticket: next.ticket, method: 'recovery' } as const;
  await assertRefused(again.client.secondFactor.signIn({ ...typed, code }), 'two_factor_code_invalid');
  const { recovery_codes: renewed } = await session(user).secondFactor.renewRecoveryCodes();
  await assertRefused(again.client.secondFactor.signIn({ ...typed, code: other }), 'two_factor_code_invalid');
  await again.client.secondFactor.signIn({ ...typed, code: renewed[0] ?? '' });
  const { items } = await harness.world.database.stores.audits.list(
    { action: 'session.open' },
    { offset: 0, limit: 1 },
  );
  assert.match(items[0]?.detail ?? '', '"method":"password","second":"recovery"');
});

twoFactor('leaves one set of recovery codes, however many are asked for at once', async () => {
  const { user } = await protectedUser();
  const mine = session(user);
  await Promise.all(Array.from({ length: 6 }, () => mine.secondFactor.renewRecoveryCodes()));
  assert.equal(await mine.secondFactor.get(), { enabled: true, recovery_left: 10 });
});

twoFactor('binds a ticket to its visitor, to five minutes and to five tries', async () => {
  const { user, secret } = await protectedUser();
  const [one, stranger] = [visitor(), visitor()];
  const { ticket } = await firstStep(one.client, user);
  const stolen = { ticket, method: 'totp', code: nextCode(secret) } as const;
  await assertRefused(stranger.client.secondFactor.signIn(stolen), 'two_factor_expired');
  await firstStep(stranger.client, await protectedUser().then((other) => other.user));
  await assertRefused(stranger.client.secondFactor.signIn(stolen), 'two_factor_expired');
  for (let attempt = 0; attempt < 5; attempt += 1) {
    await assertRefused(one.client.secondFactor.signIn({ ...stolen, code: '000000' }), 'two_factor_code_invalid');
  }
  await assertRefused(one.client.secondFactor.signIn({ ...stolen, code: nextCode(secret) }), 'two_factor_expired');
  const late = await firstStep(one.client, user);
  harness.world.clock.seconds += 301;
  const tooLate = { ticket: late.ticket, method: 'totp', code: nextCode(secret) } as const;
  await assertRefused(one.client.secondFactor.signIn(tooLate), 'two_factor_expired');
});

twoFactor('counts wrong codes by account, whatever ticket they come with', async () => {
  const { user, secret } = await protectedUser();
  for (let visit = 0; visit < 2; visit += 1) {
    const { client } = visitor();
    const { ticket } = await firstStep(client, user);
    for (let attempt = 0; attempt < 4; attempt += 1) {
      await assertRefused(
        client.secondFactor.signIn({ ticket, method: 'totp', code: '000000' }),
        'two_factor_code_invalid',
      );
    }
  }
  const { client } = visitor();
  const { ticket } = await firstStep(client, user);
  const right = { ticket, method: 'totp', code: nextCode(secret) } as const;
  await assertRefused(client.secondFactor.signIn(right), 'two_factor_code_invalid');
});

twoFactor('counts no code that is right, nor the password before it, however often somebody signs in', async () => {
  const { user, secret } = await protectedUser();
  for (let visit = 0; visit < 9; visit += 1) {
    const { client } = visitor();
    const { ticket } = await firstStep(client, user);
    await client.secondFactor.signIn({ ticket, method: 'totp', code: nextCode(secret) });
  }
});

twoFactor('ends a first step when the sessions of its user end', async () => {
  const { user, secret } = await protectedUser();
  const { client } = visitor();
  const { ticket } = await firstStep(client, user);
  await harness.world.database.stores.users.bumpAuthVersion(user.user.id);
  const code = nextCode(secret);
  await assertRefused(client.secondFactor.signIn({ ticket, method: 'totp', code }), 'two_factor_expired');
});

twoFactor('is turned off by its owner, and not by an access token', async () => {
  const { user } = await protectedUser();
  await assertRefused(harness.client(user).secondFactor.disable(), 'access_token_not_supported');
  await assertRefused(session(user).secondFactor.begin(), 'two_factor_on');
  await session(user).secondFactor.disable();
  await assertRefused(session(user).secondFactor.disable(), 'two_factor_off');
  await assertRefused(session(user).secondFactor.renewRecoveryCodes(), 'two_factor_off');
  await visitor().client.account.login({ username: user.user.username, password: user.password });
});

twoFactor('forgets a secret whose first code does not come in time', async () => {
  const user = await harness.addUser();
  await proveByPassword(user);
  const { secret } = await session(user).secondFactor.begin();
  harness.world.clock.seconds += 901;
  await proveByPassword(user);
  await assertRefused(session(user).secondFactor.enable({ code: nextCode(secret) }), 'two_factor_off');
});

twoFactor('is reset by administrators above the user, which ends the sessions and leaves a row (S11)', async () => {
  const { user } = await protectedUser();
  const admin = await harness.addUser({ role: 10 });
  const peer = await harness.addUser({ role: 10 });
  await assertRefused(harness.client(peer).secondFactor.reset({ id: admin.user.id }), 'user_same_level');
  await assertRefused(harness.client(peer).secondFactor.reset({ id: root.user.id }), 'user_same_level');
  await assertRefused(harness.client(root).secondFactor.reset({ id: root.user.id }), 'user_root_protected');
  await assertRefused(harness.client(peer).secondFactor.reset({ id: 9999 }), 'user_not_found');
  assert.equal(await harness.client(admin).secondFactor.reset({ id: user.user.id }), { totp: true, passkeys: 0 });
  await assertRefused(session(user).account.get(), 'session_expired');
  await visitor().client.account.login({ username: user.user.username, password: user.password });
  const rows = await harness.world.database.stores.audits.list({ action: 'two_factor.reset' }, { offset: 0, limit: 5 });
  assert.equal(
    rows.items.map(({ actorId, target, detail }) => [actorId, target, JSON.parse(detail)]),
    [[admin.user.id, `user:${user.user.id}`, { totp: true, passkeys: 0 }]],
  );
});

twoFactor('stores neither the secret nor a recovery code as it is', async () => {
  const { user, secret, recovery } = await protectedUser();
  const stored = await harness.world.database.stores.secondFactors.findTotp(user.user.id);
  assert.ok(stored?.secret);
  assert.not.match(stored.secret, secret);
  assert.is(await harness.world.database.stores.secondFactors.takeRecoveryCode(user.user.id, recovery[0] ?? ''), false);
});

twoFactor.run();
