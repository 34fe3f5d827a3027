/** Accounts, sessions and alerts from the command line, against a whole daemon with a mail server and a webhook. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TOTP } from 'otpauth';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ended, runProgram } from '../support/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type MailServer, type ReceivedMail, startMailServer } from '../support/mail-server.ts';
import { startWebServer, type WebServer } from '../support/web-server.ts';

const accounts = suite('accounts on the command line');

let daemon: TestDaemon;
let mail: MailServer;
let hook: WebServer;
let folder: string;

accounts.before(async () => {
  mail = await startMailServer();
  hook = await startWebServer(({ url }, response) => {
    if (url === '/broken') response.statusCode = 500;
    return {};
  });
  folder = mkdtempSync(join(tmpdir(), 'tollgate-accounts-'));
  daemon = await startTestDaemon({
    config: { 'limits.mail.enabled': false, 'limits.mail_recipient.enabled': false },
    options: {
      SMTPServer: '127.0.0.1',
      SMTPPort: String(mail.port),
      SMTPFrom: 'gate@example.org',
      ServerAddress: 'https://gate.example.org',
      EmailVerificationEnabled: 'true',
    },
  });
});

accounts.after(async () => {
  await daemon?.stop();
  await mail?.stop();
  await hook?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a command as root, or with another token; "" is nobody. */
function run(words: string, { token = daemon.accessToken, input = '' } = {}): Promise<Ended> {
  const args = words.match(/'[^']*'|\S+/g)?.map((word) => word.replaceAll("'", '')) ?? [];
  const environment = {
    TOLLGATE_CONFIG_DIR: folder,
    TOLLGATE_URL: daemon.url,
    TOLLGATE_ACCESS_TOKEN: token,
    HOOK_SECRET: 'canary-of-the-hook',
    PASSWORD_FILE: join(folder, 'password'),
  };
  return runProgram(args, { environment, input });
}

/** The output of a command that succeeds. */
async function output(words: string, wish: { token?: string; input?: string } = {}): Promise<string> {
  const ended = await run(words, wish);
  assert.is(ended.code, 0, `${words}: ${ended.stderr}`);
  return ended.stdout;
}

/** The next mail to this address; others, such as those about a changed password, are passed over. */
async function mailTo(address: string): Promise<ReceivedMail> {
  for (;;) {
    const letter = await mail.next();
    if (letter.to.includes(address)) return letter;
  }
}

/** Gives a user a system access token beside the API. */
async function tokenOf(username: string): Promise<string> {
  const { database, keyring, nowSeconds } = daemon.daemon.foundation;
  const user = await database.stores.users.findByUsername(username);
  const token = username.padEnd(32, 'x');
  await database.stores.users.setAccessToken(user?.id ?? 0, keyring.accessTokenHash(token), nowSeconds() + 1000);
  return token;
}

accounts('says a password that was made even with -q, and only of a user that was made', async () => {
  const made = await run('user create --username quiet --generate-password -q');
  assert.match(made.stdout, /^\d+\n$/);
  const [, password = ''] = /^password: (\S+)\n$/.exec(made.stderr) ?? [];
  assert.is((await run('login --username quiet --password-stdin --no-store', { token: '', input: password })).code, 0);
  const refused = await run('user create --username quiet --generate-password');
  assert.is(refused.code, 7);
  assert.not.match(refused.stderr, /password:/);
});

accounts('turn the second factor on and off, and sign in with it', async () => {
  const { daemon: running } = daemon;
  await output('user create --username factor --password-stdin', { input: 'a long password' });
  const token = await tokenOf('factor');
  writeFileSync(join(folder, 'factor'), 'a long password');
  const secrets = `--password-file ${join(folder, 'factor')}`;
  const state = async () => JSON.parse(await output('account 2fa status --json', { token }));
  // Taken a step late as well, so that none is too old when a step ends meanwhile.
  const code = (secret: string, step: 0 | 1) =>
    new TOTP({ secret }).generate({ timestamp: (running.foundation.nowSeconds() + 30 * step) * 1000 });
  assert.equal(await state(), { enabled: false, recovery_left: 0 });
  assert.is((await run(`account 2fa enable ${secrets}`, { token })).code, 3);
  const { secret, otpauth_url: link } = JSON.parse(
    await output(`account 2fa enable --begin --json ${secrets}`, { token }),
  );
  assert.match(link, `secret=${secret}`);
  const codes = (await output(`account 2fa enable -q --code ${code(secret, 0)} ${secrets}`, { token }))
    .trim()
    .split('\n');
  assert.is(codes.length, 10);
  assert.equal(await state(), { enabled: true, recovery_left: 10 });

  const login = `login --username factor --no-store ${secrets}`;
  const refused = await run(login, { token: '' });
  assert.equal([refused.code, refused.stdout], [4, '']);
  assert.match(refused.stderr, 'two_factor_required');
  assert.is((await run(`${login} --otp 000000`, { token: '' })).code, 1);
  assert.match(await output(`${login} --otp ${code(secret, 1)}`, { token: '' }), /^tgm_[\w-]{43}\n$/);
  const fresh = (await output(`${login} --otp ${codes[0]}`, { token: '' })).trim();
  assert.is((await state()).recovery_left, 9);

  const renewed = await output(`account 2fa recovery-codes -q --yes --otp ${codes[1]} ${secrets}`, { token: fresh });
  assert.is(renewed.includes(codes[2] ?? ''), false);
  await output(`account 2fa disable --yes --otp ${renewed.split('\n')[0]} ${secrets}`, { token: fresh });
  await output('user reset-2fa factor --yes');
  assert.match(await output(login, { token: '' }), /^tgm_[\w-]{43}\n$/);
});

accounts('register with a mailed code, and set a new password by a mailed link', async () => {
  await output('register --username li --email li@example.org --send-code', { token: '' });
  const code = /\r\n\r\n([0-9a-z]{6})\r\n/.exec((await mailTo('li@example.org')).text)?.[1];
  const form = `register --username li --email li@example.org --code ${code} --password-stdin`;
  await output(form, { token: '', input: 'a long password\n' });
  const taken = await run(form, { token: '', input: 'a long password' });
  assert.is(taken.code, 1, 'the code is used up');
  await output('password-reset request li@example.org', { token: '' });
  const link = /[?&]token=([\w-]{43})/.exec((await mailTo('li@example.org')).text)?.[1] ?? '';
  const reset = 'password-reset confirm --email li@example.org --token -';
  const password = await output(reset, { token: '', input: link });
  assert.match(password, /^[0-9A-Za-z]{16}\n$/);
  assert.is((await run(reset, { token: '', input: link })).code, 1);
  const token = await output('login --username li --password-stdin --no-store', { token: '', input: password });
  assert.is(await output('whoami -q', { token: token.trim() }), 'li\n');
  assert.is((await run('whoami', { token: '' })).code, 4, 'no profile was kept');
});

accounts('make a profile under the name that signing in gives it, and no other command does', async () => {
  await daemon.root.users.create({ username: 'qi', password: 'a good password' });
  const token = await tokenOf('qi');
  const before = await run('profile get fresh', { token: '' });
  assert.is(before.code, 6);
  assert.is((await run('whoami --profile fresh', { token: '' })).code, 3);
  await output('login --profile fresh --with-token', { token: '', input: token });
  assert.is(await output('profile get fresh --jq .user', { token: '' }), 'qi\n');
  assert.is(await output('whoami --profile fresh -q', { token: '' }), 'qi\n');
  await output('login --profile known --username qi --password-stdin', { token: '', input: 'a good password' });
  const members = Object.keys(JSON.parse(await output('profile get known -o json', { token: '' })));
  assert.ok(members.includes('token_id'));
  const asked = JSON.parse(await output(`profile get known --json=${members.join(',')}`, { token: '' }));
  assert.equal(Object.keys(asked), members, 'whatever a profile shows can be asked for');
  for (const name of ['fresh', 'known']) await output(`profile delete ${name}`, { token: '' });
});

accounts('show, change and delete the own account, with a session only where a token is not enough', async () => {
  await daemon.root.users.create({ username: 'mei', password: 'first password' });
  const token = await tokenOf('mei');
  await output("account edit --display-name 'Han Mei'", { token });
  assert.is(await output('account get --jq .display_name', { token }), 'Han Mei\n');
  writeFileSync(join(folder, 'first'), 'first password\n');
  writeFileSync(join(folder, 'second'), 'second password\n');
  const change = `account password --current-file ${join(folder, 'first')} --new-file ${join(folder, 'second')}`;
  await output(change, { token });
  assert.is((await run(change, { token })).code, 4, 'the first password is none any more');
  assert.match(await output('account groups --columns group', { token }), /^default$/m);
  const issued = await output('account access-token --yes -q', { token });
  assert.match(issued, /^[0-9A-Za-z]{32}\n$/);
  const own = { token: issued.trim() };
  const remove = `account delete --confirm mei --password-file ${join(folder, 'second')}`;
  assert.is((await run(remove.replace('mei', 'another'), own)).code, 3);
  await output(remove, own);
  assert.is((await run('whoami', own)).code, 4);
});

accounts('keep notification settings, mask their secret, and try them out', async () => {
  await output(
    `account settings edit --notify webhook --webhook-url ${hook.url}/own --webhook-secret env:HOOK_SECRET --threshold 5usd`,
  );
  const kept = await output('account settings get --json');
  assert.equal(JSON.parse(kept), {
    notify_type: 'webhook',
    quota_warning_threshold: 2_500_000,
    webhook_url: `${hook.url}/own`,
    webhook_secret_set: true,
    notification_email: '',
    accept_unset_model_ratio_model: false,
  });
  assert.not.match(await output('account get --json'), /canary-of-the-hook/);
  await output('account settings test');
  assert.match(hook.asked.at(-1)?.headers['x-webhook-signature']?.toString() ?? '', /^[0-9a-f]{64}$/);
  await output('account settings edit --unset webhook_secret --accept-unpriced');
  await output(`account settings edit --webhook-url ${hook.url}/broken`);
  assert.is((await run('account settings test')).code, 2);
  const changed = await output(
    "account settings get --jq '[.webhook_secret_set,.accept_unset_model_ratio_model]|@json'",
  );
  assert.is(changed, '[false,true]\n');
  assert.is((await run('account settings edit --threshold 0usd')).code, 3);
  const unclearable = await run('account settings edit --unset webhook-url');
  assert.is(unclearable.code, 3);
  assert.match(unclearable.stderr, 'webhook-url cannot be cleared; these can: webhook-secret');
  assert.match((await run('account settings edit')).stderr, 'nothing to change');
});

accounts('bind an address by code, and say where everything else is bound', async () => {
  await output('account bind email root@example.org --send');
  const code = /\r\n\r\n([0-9a-z]{6})\r\n/.exec((await mailTo('root@example.org')).text)?.[1];
  await output(`account bind email root@example.org --code ${code}`);
  assert.match(await output('account bind list'), /^email\ttrue\troot@example\.org$/m);
  assert.is(await output('account bind oauth github'), `${daemon.url}/personal?tab=bindings\n`);
  assert.is((await run('account bind oauth myspace')).code, 3);
});

accounts(
  'create many users from a file, with passwords where it has none, and act on those that are piped in',
  async () => {
    const file = join(folder, 'users.csv');
    writeFileSync(
      file,
      'username,password,display_name,quota\nkim,a long password,Kim,2usd\nroot,,,\n"lee",,"Lee, Bo",\n',
    );
    const made = await run(`user create --from ${file} -o csv`);
    assert.is(made.code, 11, made.stderr);
    const lines = made.stdout.trim().split(/\r?\n/);
    assert.match(lines[1] ?? '', /^\d+,kim,,$/);
    assert.match(lines[2] ?? '', /^,root,,.+/);
    assert.match(lines[3] ?? '', /^\d+,lee,[\w-]{20},$/);
    const { database } = daemon.daemon.foundation;
    const users = database.stores.users;
    const [kim, lee] = [await users.findByUsername('kim'), await users.findByUsername('lee')];
    assert.equal([kim?.quota, lee?.displayName], [1_000_000, 'Lee, Bo']);
    await output('user disable - --yes', { input: `${kim?.id}\n{"id":${lee?.id}}\n` });
    assert.equal([(await users.find(kim?.id ?? 0))?.status, (await users.find(lee?.id ?? 0))?.status], [2, 2]);
    writeFileSync(file, 'name\nkim\n');
    assert.is((await run(`user create --from ${file}`)).code, 3);
  },
);

accounts('tell with -q the ids of new users, why others were not made, and passwords that were', async () => {
  const file = join(folder, 'quiet.csv');
  writeFileSync(file, 'username,password\nroot,a long password\nmia,\nkim,another password\n');
  const made = await run(`user create --from ${file} -q --lang zh`);
  assert.is(made.code, 11);
  assert.match(made.stdout, /^\d+\n$/, 'no line for those that failed');
  assert.match(
    made.stderr,
    /^密码（mia）：[\w-]{20}\n错误：3 项中有 2 项失败：[^;]*[\u4e00-\u9fff][^;]* \(partial\)\n/,
  );
});

accounts('make one user of a file that names the same one twice, and say so', async () => {
  const file = join(folder, 'twice.csv');
  writeFileSync(file, 'username,password,quota\npam,a long password,2usd\nned,,\npam,a long password,2usd\nned,,\n');
  const made = await run(`user create --from ${file} -o csv --columns name,error`);
  assert.is(made.code, 11, made.stderr);
  const same = 'a row above it has the same username';
  assert.equal(made.stdout.trim().split(/\r?\n/).slice(1), ['pam,', 'ned,', `pam,${same}`, `ned,${same}`]);
  assert.match(made.stderr, /2 of 4 failed: a row above it has the same username \(partial\)/);
});

accounts('say how to go on where the server lets no more users be created', async () => {
  const config = { 'limits.critical.enabled': true, 'limits.critical.count': 6 };
  const guarded = await startTestDaemon({ config });
  try {
    const environment = { TOLLGATE_URL: guarded.url, TOLLGATE_ACCESS_TOKEN: guarded.accessToken };
    const input = ['username', ...Array.from({ length: 8 }, (_, index) => `guest-${index}`)].join('\n');
    const made = await runProgram(['user', 'create', '--from', '-', '-o', 'csv'], { environment, input });
    assert.is(made.code, 11, made.stderr);
    assert.match(made.stdout, /\d+,guest-0,[\w-]{20},\r?\n/);
    assert.match(made.stdout, /,guest-7,,the server takes no more calls/);
    assert.match(made.stderr, /try: .*--timeout 20m.*limits\.critical/);
  } finally {
    await guarded.stop();
  }
});

accounts('say of users who were deleted that they are deleted', async () => {
  await daemon.root.users.create({ username: 'gone', password: 'a long password' });
  assert.match(await output('user delete gone --yes -o tsv'), /^\d+\tuser\tdeleted\n$/);
});

accounts('keep notes about a user, from a file too, and take them away', async () => {
  await daemon.root.users.create({ username: 'noted', password: 'a long password' });
  const file = join(folder, 'notes.txt');
  writeFileSync(file, 'pays by invoice\n');
  await output(`user edit noted --notes @${file}`);
  assert.is(await output('user get noted --jq .notes'), 'pays by invoice\n');
  await output('user edit noted --display-name Noted');
  assert.is(await output('user get noted --jq .notes'), 'pays by invoice\n');
  await output('user edit noted --no-notes');
  assert.is(await output('user get noted --jq .notes'), '');
});

accounts('list and end sessions, also those of users', async () => {
  const { id } = await daemon.root.users.create({ username: 'lost', password: 'a long password' });
  const { database, nowSeconds } = daemon.daemon.foundation;
  const open = (idHash: string) =>
    database.stores.sessions.insert({
      idHash,
      userId: id,
      data: '{}',
      authVersion: 1,
      createdAt: nowSeconds(),
      lastSeenAt: nowSeconds(),
      expiresAt: nowSeconds() + 1000,
      ip: '192.0.2.7',
      userAgent: 'a browser',
    });
  await open('one');
  await open('two');
  await open('three');
  const listed = await output('session list --user lost --columns address,agent');
  assert.is(listed, '192.0.2.7\ta browser\n'.repeat(3));
  const [first] = (await output('session list --user lost -q')).split('\n');
  assert.is((await run(`session revoke ${first} --user lost`)).code, 3, 'nobody is there to say yes');
  await output(`session revoke ${first} --user lost --yes`);
  assert.is((await run(`session revoke ${first} --user lost --yes`)).code, 6);
  await output('user sign-out lost --yes');
  assert.is(await output('session list --user lost'), '');
});

accounts(
  'refuse figures that a kind of alert does not look at, and show a threshold of zero where there is one',
  async () => {
    for (const words of [
      'channel-disabled --threshold 7',
      'channel-recovered --threshold 0',
      'channel-balance --window 5m',
      'user-balance --min-requests 3',
    ]) {
      const refused = await run(`alert set ${words}`);
      assert.is(refused.code, 3, words);
      assert.match(refused.stderr, new RegExp(`${words.split(' ')[0]} has no `));
    }
    assert.match(await output('alert set channel-balance --threshold 0'), /^channel-balance\tdisabled\t0\t/);
    const listed = await output('alert list');
    assert.match(listed, /^user-balance\tdisabled\t0\t/m);
    assert.match(listed, /^channel-disabled\tenabled\t\t\t\t10m$/m);
    await output('alert set channel-balance --threshold 5');
  },
);

accounts('set alerts up, hide what is secret, and test every target', async () => {
  await output('alert set error-rate --enable --threshold 30 --window 10m --min-requests 20 --quiet-for 2h');
  assert.match(await output('alert list'), /^error-rate\tenabled\t30\t10m\t20\t120m$/m);
  assert.is((await run('alert set error-rate --threshold 200')).code, 3);
  await output('alert set user-balance --enable --threshold 2usd');
  assert.is(await output(`alert get --jq '.rules[]|select(.kind=="user-balance").threshold'`), '1000000\n');
  await output('alert set token-quota --enable --threshold 1usd --quiet-for 1h');
  assert.match(await output('alert list'), /^token-quota\tenabled\t500000\t/m);
  assert.is((await run('alert set token-quota --threshold 0')).code, 3, 'enabled it needs a threshold');
  await output(`alert target set pager --type webhook --address ${hook.url}/pager --secret env:HOOK_SECRET`);
  await output('alert target set pager --kinds error-rate,channel-disabled --language en');
  await output('alert target set ops --type mail --address ops@example.org');
  assert.is((await run('alert target set ops --enable --disable')).code, 3);
  const shown = await output('alert get --json');
  assert.not.match(shown, /canary-of-the-hook/);
  assert.match(
    await output('alert target list'),
    /^pager\twebhook\tenabled\t\S+\/pager\ttrue\terror-rate,channel-disabled\ten$/m,
  );
  assert.is((await run('alert test --target ops')).code, 0);
  await mailTo('ops@example.org');
  await output(`alert target set pager --address ${hook.url}/broken`);
  const failed = await run('alert test');
  assert.is(failed.code, 2);
  assert.match(failed.stdout, /^pager\tfailed\tthe address answered 500$/m);
  await output('alert delete pager --yes');
  assert.is((await run('alert target delete pager --yes')).code, 6);
});

accounts('try out the mail server', async () => {
  await output('mail test --to me@example.org');
  await mailTo('me@example.org');
  await daemon.root.options.set({ key: 'SMTPPort', value: '9' });
  const failed = await run('mail test --to me@example.org');
  assert.is(failed.code, 2);
  await daemon.root.options.set({ key: 'SMTPPort', value: String(mail.port) });
});

accounts.run();
