import { TOTP } from 'otpauth';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, type Client } from '../../../../../daemon/contract/client.ts';
import { TwoFactorRequired } from '../../../../../daemon/contract/second-factor.ts';
import { StepUpRequired } from '../../../../../daemon/contract/step-up.ts';
import { PasskeyChallenges } from '../../../../../daemon/domain/passkey-challenges.ts';
import { relyingParty } from '../../../../../daemon/domain/passkey-check.ts';
import { removeExpiredSessions } from '../../../../../daemon/domain/sessions.ts';
import { openBrowser } from '../../../../support/api-browser.ts';
import { type HttpHarness, startHttpHarness, type TestUser } from '../../../../support/http-harness.ts';
import { assertRefused } from '../../../../support/refusals.ts';
import {
  type Manner,
  makePasskey,
  type SoftwarePasskey,
  signWithPasskey,
} from '../../../../support/software-passkey.ts';

const passkeys = suite('passkeys');

const manner: Manner = { origin: 'https://gate.example.org:8443', partyId: 'gate.example.org' };
let harness: HttpHarness;

passkeys.before(async () => {
  harness = await startHttpHarness();
  await harness.setup();
  await setAddress(manner.origin);
});

passkeys.after(() => harness.close());

async function setAddress(address: string): Promise<void> {
  const { database, bus } = harness.world;
  const revision = await database.transaction(async (stores) => {
    await stores.options.set('ServerAddress', address);
    return stores.revisions.bump('options');
  });
  await bus.announce('options', revision);
}

function session(user: TestUser): Client {
  return harness.client(undefined, { credentials: () => ({ cookie: user.cookie, userId: user.user.id }) });
}

/** A user with a passkey, in a session that may go on changing them. */
async function withPasskey(): Promise<{ user: TestUser; mine: Client; passkey: SoftwarePasskey; id: number }> {
  const user = await harness.addUser();
  const mine = session(user);
  await mine.stepUp.prove({ action: 'second_factor', method: 'password', password: user.password });
  const { passkey, made } = makePasskey(await mine.passkeys.beginAdding(), manner);
  const { id } = await mine.passkeys.add({ name: ' my key ', ...made });
  return { user, mine, passkey, id };
}

passkeys('are added with a fresh proof, listed, named and removed by their owner alone', async () => {
  const user = await harness.addUser();
  await assertRefused(session(user).passkeys.beginAdding(), 'step_up_required');
  const { mine, id } = await withPasskey();
  const [listed] = await mine.passkeys.list();
  assert.equal([listed?.id, listed?.name, listed?.last_used_at, listed?.synced], [id, 'my key', 0, false]);
  const other = await withPasskey();
  await assertRefused(other.mine.passkeys.rename({ id, name: 'mine' }), 'passkey_not_found');
  await assertRefused(other.mine.passkeys.remove({ id }), 'passkey_not_found');
  await assertRefused(mine.passkeys.rename({ id, name: ' ' }), 'passkey_name_invalid');
  assert.is((await mine.passkeys.rename({ id, name: '我的手机' })).name, '我的手机');
  await mine.passkeys.remove({ id });
  assert.equal(await mine.passkeys.list(), []);
});

passkeys('sign in without password and second factor, and note their use', async () => {
  const { user, mine, passkey } = await withPasskey();
  const client = harness.client();
  const used = signWithPasskey(passkey, await client.passkeys.beginSignIn(), { ...manner, signCount: 1 });
  assert.is((await client.passkeys.signIn(used)).id, user.user.id);
  assert.is((await mine.passkeys.list())[0]?.last_used_at, harness.world.nowSeconds());
  await assertRefused(client.passkeys.signIn(used), 'passkey_refused');
});

passkeys(
  'are refused for another site, another address, a challenge of another, without the holder, or when copied',
  async () => {
    const { mine, passkey } = await withPasskey();
    const client = harness.client();
    const attempt = async (over: Partial<Manner>, challenge?: unknown): Promise<void> => {
      const options = challenge === undefined ? await client.passkeys.beginSignIn() : { challenge };
      const used = signWithPasskey(passkey, options, { ...manner, signCount: 9, ...over });
      await assertRefused(client.passkeys.signIn(used), 'passkey_refused');
    };
    await attempt({ origin: 'https://gate.example.org' });
    await attempt({ origin: 'https://evil.example.org', partyId: 'evil.example.org' });
    await attempt({ userVerified: false });
    await attempt({}, Buffer.from('a challenge of my own').toString('base64url'));
    await attempt({}, (await mine.passkeys.beginAdding()).challenge);
    const late = await client.passkeys.beginSignIn();
    harness.world.clock.seconds += 301;
    await attempt({}, late.challenge);
    const { challenge } = await client.passkeys.beginSignIn();
    await client.passkeys.signIn(signWithPasskey(passkey, { challenge }, { ...manner, signCount: 9 }));
    await attempt({ signCount: 9 });
    await attempt({ signCount: 3 });
  },
);

passkeys('are refused when somebody else has them, or their account is not usable', async () => {
  const { user, passkey } = await withPasskey();
  const other = await withPasskey();
  const client = harness.client();
  for (const userHandle of [other.passkey.userHandle, '']) {
    const stolen = signWithPasskey({ ...passkey, userHandle }, await client.passkeys.beginSignIn(), manner);
    await assertRefused(client.passkeys.signIn(stolen), 'passkey_refused');
  }
  const { made } = makePasskey(await other.mine.passkeys.beginAdding(), manner);
  await assertRefused(harness.client(user).passkeys.add({ name: 'x', ...made }), 'access_token_not_supported');
  await session(user).stepUp.prove({ action: 'second_factor', method: 'password', password: user.password });
  await assertRefused(session(user).passkeys.add({ name: 'x', ...made }), 'passkey_refused');
  await harness.world.database.stores.users.update(user.user.id, { status: 2 });
  const disabled = signWithPasskey(passkey, await client.passkeys.beginSignIn(), manner);
  await assertRefused(client.passkeys.signIn(disabled), 'passkey_refused');
});

passkeys('are for addresses with a name alone, and there are twenty at most', async () => {
  assert.equal(relyingParty('https://gate.example.org/base/'), {
    id: 'gate.example.org',
    origin: 'https://gate.example.org',
  });
  assert.equal(relyingParty('http://localhost:3000'), { id: 'localhost', origin: 'http://localhost:3000' });
  for (const address of ['', 'gate', 'http://gate.example.org', 'https://10.0.0.7', 'https://[fd00::a]', 'ftp://a.b']) {
    assert.is(relyingParty(address), undefined, address);
  }
  const { mine, user } = await withPasskey();
  for (let count = 1; count < 19; count += 1) {
    const row = { publicKey: 'k', signCount: 0, transports: '', name: 'k', synced: false, createdAt: 1 };
    const credentialId = `${user.user.id}-${count}`;
    await harness.world.database.stores.passkeys.insert({ userId: user.user.id, credentialId, ...row });
  }
  const asked = [
    await mine.passkeys.beginAdding(),
    await mine.passkeys.beginAdding(),
    await mine.passkeys.beginAdding(),
  ];
  const adding = asked.map((options) => mine.passkeys.add({ name: 'last', ...makePasskey(options, manner).made }));
  const added = (await Promise.allSettled(adding)).filter(({ status }) => status === 'fulfilled');
  assert.equal([added.length, (await mine.passkeys.list()).length], [1, 20]);
  await assertRefused(mine.passkeys.beginAdding(), 'passkey_limit');
  await setAddress('https://10.0.0.7');
  await assertRefused(harness.client().passkeys.beginSignIn(), 'passkey_off');
  await setAddress(manner.origin);
});

passkeys('go with the second factor when an administrator resets it', async () => {
  const { user, passkey } = await withPasskey();
  const admin = await harness.addUser({ role: 10 });
  assert.equal(await harness.client(admin).secondFactor.reset({ id: user.user.id }), { totp: false, passkeys: 1 });
  const client = harness.client();
  const used = signWithPasskey(passkey, await client.passkeys.beginSignIn(), manner);
  await assertRefused(client.passkeys.signIn(used), 'passkey_refused');
});

/** A user with a passkey whose password alone does not sign in. */
async function withApp(): Promise<Awaited<ReturnType<typeof withPasskey>> & { secret: string }> {
  const owner = await withPasskey();
  const { secret } = await owner.mine.secondFactor.begin();
  await owner.mine.secondFactor.enable({ code: codeOf(secret) });
  return { ...owner, secret };
}

function codeOf(secret: string): string {
  return new TOTP({ secret }).generate({ timestamp: harness.world.nowSeconds() * 1000 });
}

/** The first step of a sign-in, in a browser of its own. */
async function firstStep({ user, password }: TestUser) {
  const { client } = openBrowser(harness.url);
  const refusal: unknown = await client.account.login({ username: user.username, password }).catch((error) => error);
  assert.ok(refusal instanceof ApiError && refusal.code === 'two_factor_required', String(refusal));
  const { ticket, methods } = TwoFactorRequired.parse(refusal.data);
  return { calls: client.secondFactor, ticket, methods };
}

passkeys('take the second step of their own account, for the sign-in that asked for it', async () => {
  const { user, passkey } = await withApp();
  const other = await withApp();
  const { calls, ticket, methods } = await firstStep(user);
  assert.equal(methods, ['totp', 'recovery', 'passkey']);
  const step = (shown: ReturnType<typeof signWithPasskey>) =>
    calls.signIn({ ticket, method: 'passkey', passkey: shown });
  const asked = await calls.beginPasskey({ ticket });
  assert.match(JSON.stringify(asked.allowCredentials), passkey.id);
  assert.not.match(JSON.stringify(asked.allowCredentials), other.passkey.id);
  const theirs = await firstStep(other.user);
  await assertRefused(calls.beginPasskey({ ticket: theirs.ticket }), 'two_factor_expired');
  await assertRefused(step(signWithPasskey(other.passkey, asked, manner)), 'passkey_refused');
  const { challenge } = await harness.client().passkeys.beginSignIn();
  await assertRefused(step(signWithPasskey(passkey, { challenge }, manner)), 'passkey_refused');
  await assertRefused(calls.signIn({ ticket, method: 'passkey' }), 'invalid_params');
  const again = await calls.beginPasskey({ ticket });
  const misnamed = { ...passkey, userHandle: other.passkey.userHandle };
  await assertRefused(step(signWithPasskey(misnamed, again, manner)), 'passkey_refused');
  const used = signWithPasskey({ ...passkey, userHandle: '' }, again, manner);
  assert.is((await step(used)).id, user.user.id);
  const { items } = await harness.world.database.stores.audits.list(
    { action: 'session.open' },
    { offset: 0, limit: 1 },
  );
  assert.match(items[0]?.detail ?? '', '"method":"password","second":"passkey"');
});

passkeys('prove who sits there, for one kind of action in one session, whether or not there is an app', async () => {
  for (const owner of [await withPasskey(), await withApp()]) {
    const { mine, user, passkey } = owner;
    const wanted = await mine.machineTokens
      .create({ name: 'ci', scopes: ['log:read'], expires_at: harness.world.nowSeconds() + 1000 })
      .catch((error: unknown) => error);
    assert.ok(wanted instanceof ApiError && wanted.code === 'step_up_required');
    assert.ok(StepUpRequired.parse(wanted.data).methods.includes('passkey'));
    const prove = (options: object) =>
      mine.stepUp.prove({
        action: 'machine_token',
        method: 'passkey',
        passkey: signWithPasskey(passkey, options, manner),
      });
    await assertRefused(prove(await mine.stepUp.beginPasskey({ action: 'account' })), 'passkey_refused');
    await assertRefused(prove(await harness.client().passkeys.beginSignIn()), 'passkey_refused');
    const elsewhere = session({ ...user, cookie: await otherSession(user) });
    await assertRefused(prove(await elsewhere.stepUp.beginPasskey({ action: 'machine_token' })), 'passkey_refused');
    const options = await mine.stepUp.beginPasskey({ action: 'machine_token' });
    await prove(options);
    await assertRefused(prove(options), 'passkey_refused');
    await mine.machineTokens.create({
      name: 'ci',
      scopes: ['log:read'],
      expires_at: harness.world.nowSeconds() + 1000,
    });
  }
  const without = session(await harness.addUser());
  const made = makePasskey({}, manner).passkey;
  const shown = signWithPasskey(made, await without.stepUp.beginPasskey({ action: 'option' }), manner);
  await assertRefused(without.stepUp.prove({ action: 'option', method: 'passkey', passkey: shown }), 'step_up_failed');
});

passkeys('are what an account without password and app proves itself by, once it has not just come in', async () => {
  const user = await harness.addUser({ password: '' });
  const mine = session(user);
  const { made } = makePasskey(await mine.passkeys.beginAdding(), manner);
  const { id } = await mine.passkeys.add({ name: 'only one', ...made });
  const { made: spare } = makePasskey(await mine.passkeys.beginAdding(), manner);
  await mine.passkeys.remove({ id: (await mine.passkeys.add({ name: 'spare', ...spare })).id });
  harness.world.clock.seconds += 301;
  const refusal: unknown = await mine.passkeys.remove({ id }).catch((error) => error);
  assert.ok(refusal instanceof ApiError && refusal.code === 'step_up_required');
  assert.equal(StepUpRequired.parse(refusal.data).methods, ['passkey']);
  await setAddress('https://10.0.0.7');
  const unusable: unknown = await mine.passkeys.remove({ id }).catch((error) => error);
  assert.ok(unusable instanceof ApiError);
  assert.equal(StepUpRequired.parse(unusable.data).methods, [], 'none can be used at such an address');
  await setAddress(manner.origin);
});

/** Cookie of a second session of the user. */
async function otherSession({ user }: TestUser): Promise<string> {
  const { database, keyring, nowSeconds } = harness.world;
  const id = `another-${user.id}`;
  const { authVersion = 0 } = (await database.stores.users.find(user.id)) ?? {};
  await database.stores.sessions.insert({
    idHash: keyring.sessionHash(id),
    userId: user.id,
    data: '',
    authVersion,
    createdAt: nowSeconds(),
    lastSeenAt: nowSeconds(),
    expiresAt: nowSeconds() + 1000,
    ip: '',
    userAgent: '',
  });
  return `session=${keyring.signSession(id)}`;
}

passkeys('answer each challenge once, whatever is cleared away while it is good', async () => {
  const { database, keyring, nowSeconds, clock } = harness.world;
  const challenges = new PasskeyChallenges({ hash: keyring.codeHash, stores: database.stores, nowSeconds });
  const challenge = Buffer.from(challenges.make('a subject')).toString('base64url');
  assert.is(await challenges.take('another subject', challenge), false);
  assert.is(await challenges.take('a subject', challenge), true);
  clock.seconds += 299;
  await removeExpiredSessions({ stores: database.stores, nowSeconds }, new AbortController().signal);
  assert.is(await challenges.take('a subject', challenge), false);
});

passkeys.run();
