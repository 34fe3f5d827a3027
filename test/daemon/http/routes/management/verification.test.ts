/** Mailed codes and links through a whole daemon and a real mail server. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, type Client, createClient } from '../../../../../daemon/contract/client.ts';
import { signedIn } from '../../../../support/api-browser.ts';
import { startTestDaemon, type TestDaemon } from '../../../../support/daemon.ts';
import { type MailServer, startMailServer } from '../../../../support/mail-server.ts';
import { assertRefused, refusalOf } from '../../../../support/refusals.ts';

const mails = suite('mailed codes and links');

let server: MailServer;
let daemon: TestDaemon;
let visitor: Client;
let shiftMs = 0;

mails.before(async () => {
  server = await startMailServer();
  daemon = await startTestDaemon({
    clock: { now: () => Date.now() + shiftMs, monotonic: () => performance.now() },
    config: { 'limits.mail.enabled': false, 'limits.mail_recipient.enabled': false },
    options: {
      SMTPServer: '127.0.0.1',
      SMTPPort: String(server.port),
      SMTPFrom: 'post@example.org',
      ServerAddress: 'https://tollgate.example/',
      EmailVerificationEnabled: 'true',
    },
  });
  visitor = createClient({ baseUrl: daemon.url, retries: 0, language: () => 'en' });
});

mails.after(async () => {
  await daemon.stop();
  await server.stop();
});

/** Asks for a code and reads it from the mail. */
async function codeFor(email: string): Promise<string> {
  await visitor.verification.sendCode({ email });
  return /\r\n\r\n([0-9a-z]{6})\r\n/.exec((await server.next()).text)?.[1] ?? '';
}

/** Asks for a link and reads its token from the mail. */
async function tokenFor(email: string): Promise<string> {
  await visitor.verification.requestReset({ email });
  return /[?&]token=([\w-]{43})/.exec((await server.next()).text)?.[1] ?? '';
}

const password = 'long enough';
const register = (username: string, email: string, code: string) =>
  visitor.account.register({ username, password, email, verification_code: code });
const findUser = (username: string) => daemon.daemon.foundation.database.stores.users.findByUsername(username);

mails('prove an address once, in any case, and store it in lower case', async () => {
  const code = await codeFor('Ann@Example.com');
  assert.match(code, /^[0-9a-z]{6}$/);
  await register('ann', 'ANN@example.com', ` ${code.toUpperCase()} `);
  assert.is((await findUser('ann'))?.email, 'ann@example.com');
  await assertRefused(register('ann2', 'ann@example.com', code), 'code_invalid');
});

mails('are needed while addresses are verified', async () => {
  await assertRefused(visitor.account.register({ username: 'bob', password }), 'email_required');
  await assertRefused(register('bob', 'bob@example.com', 'aaaaaa'), 'code_invalid');
  assert.is(await findUser('bob'), undefined);
});

mails('are asked for by the name that the call has for them', async () => {
  assert.is((await refusalOf(register('bob', 'bob@example.com', 'aaaaaa'))).field, 'verification_code');
  assert.is((await refusalOf(register('bob', 'bob@example.com', ''))).field, 'verification_code');
  assert.is((await refusalOf(register('bob', '', 'aaaaaa'))).field, 'email');
});

mails('stay good when what they were for fails', async () => {
  const code = await codeFor('carl@example.com');
  // More often than wrong ones would be taken.
  for (let time = 1; time <= 6; time += 1) {
    await assertRefused(register('ann', 'carl@example.com', code), 'username_taken');
  }
  await register('carl', 'carl@example.com', code);
});

mails('take five wrong tries and no more, at whatever pace', async () => {
  const code = await codeFor('dora@example.com');
  const guesses = Array.from({ length: 12 }, (_, at) => register(`dora${at}`, 'dora@example.com', `wrong${at}`));
  await Promise.all(guesses.map((guess) => assertRefused(guess, 'code_invalid')));
  await assertRefused(register('dora', 'dora@example.com', code), 'code_invalid');
  await register('dora', 'dora@example.com', await codeFor('dora@example.com'));
});

mails('take a right code after four wrong ones, and none after five', async () => {
  const wrong = (email: string) => assertRefused(register('dina', email, 'wrong1'), 'code_invalid');
  const [fine, dead] = ['dina@example.com', 'dino@example.com'];
  const codes = [await codeFor(fine), await codeFor(dead)] as const;
  for (let time = 1; time <= 4; time += 1) await wrong(fine);
  await register('dina', fine, codes[0]);
  for (let time = 1; time <= 5; time += 1) await wrong(dead);
  await assertRefused(register('dino', dead, codes[1]), 'code_invalid');
});

mails('replace an older code and end after ten minutes', async () => {
  const first = await codeFor('eve@example.com');
  const second = await codeFor('eve@example.com');
  await assertRefused(register('eve', 'eve@example.com', first), 'code_invalid');
  shiftMs = 10 * 60_000;
  await assertRefused(register('eve', 'eve@example.com', second), 'code_invalid');
  shiftMs = 0;
});

mails('make one account of one code, however many ask for it at once', async () => {
  const code = await codeFor('fred@example.com');
  const outcomes = await Promise.allSettled(
    Array.from({ length: 10 }, (_, at) => register(`fred${at}`, 'fred@example.com', code)),
  );
  assert.is(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
});

mails('do not tell a caller whether an account has the address', async () => {
  const path = '/api/verification?email=ann%40example.com';
  const answer = await fetch(`${daemon.url}${path}`, { headers: { 'Accept-Language': 'en' } });
  assert.equal(await answer.json(), { success: true, message: '', data: null });
  const { text } = await server.next();
  assert.match(text, /already/);
  assert.not.match(text, /\r\n\r\n[0-9a-z]{6}\r\n/);
  const reset = await fetch(`${daemon.url}/api/reset_password?email=nobody%40example.com`);
  assert.equal(await reset.json(), { success: true, message: '', data: null });
});

mails('go only to addresses that the site takes', async () => {
  for (const email of ['', 'x', 'a@b@c.org', 'a@b.org;c@d.org', 'a b@c.org', `${'a'.repeat(250)}@b.org`]) {
    await assertRefused(visitor.verification.sendCode({ email }), 'email_invalid');
    await assertRefused(visitor.verification.requestReset({ email }), 'email_invalid');
  }
  await daemon.root.options.set({ key: 'EmailDomainRestrictionEnabled', value: 'true' });
  await daemon.root.options.set({ key: 'EmailAliasRestrictionEnabled', value: 'true' });
  await assertRefused(visitor.verification.sendCode({ email: 'g@example.com' }), 'email_domain_refused');
  await assertRefused(visitor.verification.sendCode({ email: 'g@sub.gmail.com' }), 'email_domain_refused');
  await assertRefused(visitor.verification.sendCode({ email: 'g+x@gmail.com' }), 'email_alias_refused');
  await assertRefused(visitor.verification.sendCode({ email: 'g.x@gmail.com' }), 'email_alias_refused');
  await register('gail', 'gx@gmail.com', await codeFor('gx@Gmail.com'));
  await daemon.root.options.set({ key: 'EmailDomainWhitelist', value: 'gmail.com,xn--bcher-kva.example' });
  await codeFor('g@b\u00fccher.example');
  await daemon.root.options.set({ key: 'EmailDomainRestrictionEnabled', value: 'false' });
  await daemon.root.options.set({ key: 'EmailAliasRestrictionEnabled', value: 'false' });
});

mails('set a new password once, which ends sessions and the access token', async () => {
  const accessToken = await (await signedIn(daemon.url, { username: 'ann', password })).account.issueToken();
  const token = await tokenFor('ANN@example.com');
  assert.is(token.length, 43);
  const email = 'ann@example.com';
  // More often than a code may be tried: whoever knows an address must not be able to spoil its owner's link.
  for (let tries = 0; tries < 6; tries += 1) {
    await assertRefused(visitor.verification.reset({ email, token: 'x'.repeat(43) }), 'reset_invalid');
  }
  await assertRefused(visitor.verification.reset({ email: 'carl@example.com', token }), 'reset_invalid');
  const fresh = await visitor.verification.reset({ email, token });
  assert.match(fresh, /^[0-9A-Za-z]{16}$/);
  await assertRefused(visitor.verification.reset({ email, token }), 'reset_invalid');
  await assertRefused(daemon.client(accessToken).account.get(), 'access_token_invalid');
  await assertRefused(visitor.account.login({ username: 'ann', password }), 'login_failed');
  assert.is((await visitor.account.login({ username: 'ann', password: fresh })).username, 'ann');
  const notice = await server.next();
  assert.equal(notice.to, [email]);
  assert.not.match(notice.text, fresh);
});

mails('name the configured address of the site and nothing a caller sent', async () => {
  await fetch(`${daemon.url}/api/reset_password?email=carl%40example.com`, {
    headers: { 'X-Forwarded-Host': 'evil.example', 'Accept-Language': 'en' },
  });
  const { text } = await server.next();
  assert.match(text, 'https://tollgate.example/user/reset?email=carl%40example.com&token=');
  assert.not.match(text, 'evil.example');
});

mails('do not open disabled or deleted accounts', async () => {
  const token = await tokenFor('carl@example.com');
  const carl = await findUser('carl');
  await daemon.root.users.manage({ id: carl?.id ?? 0, action: 'disable' });
  await assertRefused(visitor.verification.reset({ email: 'carl@example.com', token }), 'reset_invalid');
  await daemon.root.users.manage({ id: carl?.id ?? 0, action: 'enable' });
  await assertRefused(visitor.verification.reset({ email: 'carl@example.com', token }), 'reset_invalid');
});

mails('lose to a password that is being changed', async () => {
  await register('owen', 'owen@example.com', await codeFor('owen@example.com'));
  const token = await tokenFor('owen@example.com');
  const { id = 0 } = (await findUser('owen')) ?? {};
  const { resetting } = await daemon.daemon.foundation.database.transaction(async ({ users }) => {
    await users.bumpAuthVersion(id);
    const resetting = visitor.verification.reset({ email: 'owen@example.com', token }).then(
      () => 'reset',
      (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
    );
    await sleep(1000);
    return { resetting };
  });
  assert.is(await resetting, 'reset_invalid');
});

mails('bind a proven address to the own account', async () => {
  const gail = await signedIn(daemon.url, { username: 'gail', password });
  const code = await codeFor('gail@example.com');
  await assertRefused(gail.verification.bindEmail({ email: 'gail@example.com', code: 'wrong1' }), 'code_invalid');
  await gail.verification.bindEmail({ email: 'gail@example.com', code });
  assert.is((await gail.account.get()).email, 'gail@example.com');
  assert.equal((await server.next()).to, ['gx@gmail.com'], 'the old address hears of it');
  await assertRefused(visitor.verification.bindEmail({ email: 'x@example.com', code }), 'auth_required');
});

mails('tell of a password that was changed, and of no other change', async () => {
  const email = 'pia@example.com';
  await register('pia', email, await codeFor(email));
  const pia = await signedIn(daemon.url, { username: 'pia', password });
  await pia.account.update({ display_name: 'Pia' });
  await pia.account.update({ password: 'another long one' });
  assert.equal((await server.next()).to, [email]);
  // Nothing more is on its way: the next mail is the one that is asked for next.
  await visitor.verification.sendCode({ email: 'next@example.com' });
  assert.equal((await server.next()).to, ['next@example.com']);
});

mails('bind nothing for a session that another node has just ended', async () => {
  const code = await codeFor('left@example.com');
  const gail = await signedIn(daemon.url, { username: 'gail', password });
  // This node has heard of the account, and not yet of its change.
  await gail.account.get();
  await daemon.daemon.foundation.database.stores.users.bumpAuthVersion((await findUser('gail'))?.id ?? 0);
  await assertRefused(gail.verification.bindEmail({ email: 'left@example.com', code }), 'session_expired');
  assert.is((await findUser('gail'))?.email, 'gail@example.com');
});

mails('are limited by recipient before anything is looked up', async () => {
  const limited = await startTestDaemon({
    options: { SMTPServer: '127.0.0.1', SMTPPort: String(server.port), SMTPFrom: 'post@example.org' },
  });
  try {
    const caller = createClient({ baseUrl: limited.url, retries: 0 });
    await caller.verification.sendCode({ email: 'one@example.com' });
    await server.next();
    await assertRefused(caller.verification.sendCode({ email: 'ONE@example.com' }), 'too_many_requests', 429);
    await caller.verification.requestReset({ email: 'two@example.com' });
    await assertRefused(caller.verification.requestReset({ email: 'three@example.com' }), 'too_many_requests', 429);
  } finally {
    await limited.stop();
  }
});

mails('fail openly while the site has no mail server', async () => {
  await daemon.root.options.set({ key: 'SMTPServer', value: '' });
  await assertRefused(visitor.verification.sendCode({ email: 'h@example.com' }), 'mail_failed');
  await visitor.verification.requestReset({ email: 'ann@example.com' });
});

mails.run();
