/**
 * Machine tokens from the command line, against a whole daemon: the ones that signing in keeps, and those of jobs.
 * Runs once: what the database does with them is looked at in test/store and over HTTP.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { signedIn } from '../support/api-browser.ts';
import { type Ended, type Running, runProgram, startProgram, wordsOf } from '../support/command-line.ts';
import { rootPassword, startTestDaemon, type TestDaemon } from '../support/daemon.ts';

const machine = suite('machine tokens on the command line');

let daemon: TestDaemon;
let folder: string;

machine.before(async () => {
  daemon = await startTestDaemon();
  folder = mkdtempSync(join(tmpdir(), 'tollgate-machine-'));
});
machine.after(async () => {
  await daemon.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a command with a token of its own; "" is that of the profile. */
function run(line: string, { token = daemon.accessToken, input = '', config = folder } = {}): Promise<Ended> {
  const environment = { TOLLGATE_CONFIG_DIR: config, TOLLGATE_URL: daemon.url, TOLLGATE_ACCESS_TOKEN: token };
  return runProgram(wordsOf(line), { environment, input });
}

async function output(line: string, wish: { token?: string; input?: string } = {}): Promise<string> {
  const ended = await run(line, wish);
  assert.is(ended.code, 0, `${line}: ${ended.stderr}`);
  return ended.stdout;
}

const make = async (words: string) => (await output(`machine-token create ${words} -q`)).trim();

machine('are told how an administrator is made, which they may not do by themselves', async () => {
  const token = await make('--name ci-users --scope user:write --expires 90d');
  const made = await run('user create --username boss --generate-password --role admin', { token });
  assert.is(made.code, 5);
  assert.match(
    made.stderr,
    /machine_token_not_supported[\s\S]*try: leave --role out, then: tollgate user promote boss\n/,
  );
  assert.is((await run('user create --username boss --generate-password', { token })).code, 0);
  const password = { token, input: rootPassword };
  assert.is((await run('user promote boss --yes --password-stdin', password)).code, 0);
});

machine('are not made through a profile that is for reading only, and are listed there', async () => {
  const config = mkdtempSync(join(tmpdir(), 'tollgate-read-only-'));
  const profile = { url: daemon.url, token: await make('--name reader --scope log:read'), read_only: true };
  const text = JSON.stringify({ current: 'prod', profiles: { prod: profile } });
  writeFileSync(join(config, 'profiles.yaml'), text, { mode: 0o600 });
  const prod = (line: string) => run(`${line} --password-stdin`, { token: '', config, input: rootPassword });
  for (const line of ['machine-token create --name sneaky --scope log:read', 'account 2fa enable --begin']) {
    const refused = await prod(line);
    assert.is(refused.code, 5, refused.stderr);
    assert.match(refused.stderr, /prod is read-only/);
  }
  const listed = await prod('machine-token list --jq .[].name');
  assert.match(listed.stdout, /^reader$/m, listed.stderr);
  assert.not.match(listed.stdout, /sneaky/);
  const lines = (await prod('machine-token list --debug -q')).stderr;
  assert.match(lines, /^POST \/api\/user\/login 200[\s\S]*^GET \/api\/machine_token\/ 200/m, 'as every call is told');
  // Signing in again writes what this machine keeps.
  assert.is((await prod('login --username root --profile prod')).code, 0);
  rmSync(config, { recursive: true });
});

machine('make 500 codes that are safe to ask for again, with a token that may do nothing else', async () => {
  const token = await make('--name ci-codes --scope redemption:write --expires 90d --allow-ip 127.0.0.1');
  assert.match(token, /^tgm_[\w-]{43}$/);
  const job =
    'redemption create --name spring-1 --count 500 --quota 2usd --valid-until 2099-01-01 --idempotency-key codes-1';
  const [first, again] = [join(folder, 'first.csv'), join(folder, 'again.csv')];
  await output(`${job} --yes --out ${first}`, { token });
  await output(`${job} --yes --out ${again}`, { token });
  assert.is(readFileSync(first, 'utf8').trim().split(/\r?\n/).length, 501);
  assert.is(readFileSync(again, 'utf8'), readFileSync(first, 'utf8'));
  const narrow = await run('channel list', { token });
  assert.is(narrow.code, 5);
  assert.match(narrow.stderr, /lacks the scope channel:read/);
  const said = JSON.parse(await output('whoami --json', { token }));
  assert.equal([said.username, said.scopes], ['root', ['redemption:write']]);
  assert.ok(Math.abs(Date.parse(said.expires) / 86_400_000 - Date.now() / 86_400_000 - 90) < 0.1);
});

machine('are listed, rotated by the job itself with a grace, and revoked by name', async () => {
  const first = await make('--name job --scope log:read');
  assert.match(await output('machine-token list -o tsv --columns name,scopes'), /^job\tlog:read$/m);
  const second = (await output('machine-token rotate job --grace 1h -q', { token: first })).trim();
  assert.is.not(second, first);
  for (const token of [first, second]) await output('whoami', { token });
  const itself = await run('machine-token list --json', { token: second });
  assert.is(JSON.parse(itself.stdout).length, 1);
  assert.match(itself.stderr, /sees itself alone/);
  assert.is((await run('machine-token revoke nothing --yes')).code, 6);
  await output('machine-token revoke job --yes');
  for (const token of [first, second]) assert.is((await run('whoami', { token })).code, 4);
});

machine('stay signed in with the new secret where a profile holds the one that is rotated', async () => {
  const config = mkdtempSync(join(tmpdir(), 'tollgate-rotated-'));
  const own = (line: string) => run(line, { token: '', config, input: rootPassword });
  assert.is((await own('login --username root --password-stdin --profile here')).code, 0);
  const token = await make('--name far --scope log:read');
  assert.is((await run('login --with-token --profile far', { token: '', config, input: token })).code, 0);
  const name = JSON.parse((await own('machine-token list --json --profile here')).stdout)[0].name;
  const rotated = await own(`machine-token rotate '${name}' --profile here`);
  assert.is(rotated.code, 0, rotated.stderr);
  assert.match(rotated.stderr, 'the new secret is kept in profile here\n');
  assert.is((await own('whoami --profile here')).code, 0);
  assert.is((await own('whoami --profile far')).code, 0);
  assert.is((await own('machine-token rotate far --profile far')).code, 0);
  assert.is((await own('whoami --profile far')).code, 0, 'a token that was handed over is known by its id, too');
  assert.is((await run('whoami', { token })).code, 4);
  const elsewhere = await run('machine-token rotate far --password-stdin', { token: '', input: rootPassword });
  assert.not.match(elsewhere.stderr, 'is kept in profile');
  rmSync(config, { recursive: true });
});

machine('are refused where only their user may act, unless the password is given', async () => {
  const token = await make("--name wide --scope '*'");
  const wanted = 'machine-token create --name other --scope log:read -q';
  const refused = await run(wanted, { token });
  assert.is(refused.code, 3);
  assert.match(refused.stderr, /password/);
  const made = await output(`${wanted} --password-stdin`, { token, input: rootPassword });
  assert.match(made, /^tgm_/);
  const other = await run(`machine-token revoke other --yes --password-stdin`, { token, input: rootPassword });
  assert.is(other.code, 0, other.stderr);
  const listed = await output('session list --json --password-stdin', { token, input: rootPassword });
  assert.ok(JSON.parse(listed).length > 0);
  for (const line of [
    'machine-token create --name x --scope everything',
    'login --scope log:write:read --username root --password-stdin',
  ]) {
    const unknown = await run(line, { input: rootPassword });
    assert.is(unknown.code, 3, line);
    assert.match(unknown.stderr, /there is no scope/);
  }
  assert.is((await run('machine-token create --name x --scope log:read --expires 366d')).code, 3);
});

machine('are what signing in keeps, and what signing out ends on the server', async () => {
  const signIn = 'login --username root --password-stdin --profile own --scope log:read,audit:read --expires 2d';
  const signedIn = await run(`${signIn} --json`, { token: '', input: rootPassword });
  assert.is(signedIn.code, 0, signedIn.stderr);
  const { scopes, expires } = JSON.parse(signedIn.stdout);
  assert.equal(scopes, ['log:read', 'audit:read']);
  assert.match(signedIn.stderr, new RegExp(`until ${expires}`));
  const kept = readFileSync(join(folder, 'profiles.yaml'), 'utf8');
  const token = /token: (tgm_\S+)/.exec(kept)?.[1] ?? '';
  assert.match(kept, /token_id: \d+\n/);
  assert.match(kept, new RegExp(`token_expires: "?${expires}`));
  const listed = await run('audit list --json --profile own', { token: '' });
  assert.ok(JSON.parse(listed.stdout).length > 0);
  assert.match(listed.stderr, new RegExp(`profile own ends at ${expires}`));
  // The token that scripts use is another, and lives on.
  await output('whoami');
  await output('logout --profile own', { token: '' });
  assert.is((await run('whoami', { token })).code, 4);
  assert.not.match(readFileSync(join(folder, 'profiles.yaml'), 'utf8'), /tgm_|token_/);
  const given = await make('--name given --scope log:read');
  await output('login --with-token --profile given', { token: '', input: given });
  await output('logout --profile given', { token: '' });
  assert.is((await run('whoami', { token: given })).code, 4);
});

/** Starts a sign-in of nobody. */
function start(line: string): Running {
  return startProgram(wordsOf(line), { environment: { TOLLGATE_CONFIG_DIR: folder, TOLLGATE_URL: daemon.url } });
}

/** The console with root in front of it, who has just proven to be root. */
async function rootAtConsole() {
  const client = await signedIn(daemon.url, { username: 'root', password: rootPassword });
  await client.stepUp.prove({ action: 'machine_token', method: 'password', password: rootPassword });
  return client.cliSignIns;
}

machine('are given by the console, to the browser of this machine or for a code that is typed elsewhere', async () => {
  const device = start('login --device --profile elsewhere --scope log:read --json');
  const refusedDevice = start('login --device --no-store');
  const web = start('login --web --profile here --expires 2d --json');
  const calls = await rootAtConsole();
  await calls.approve({ user_code: await device.tells(/type the code (\S+)/) });
  await calls.deny({ user_code: await refusedDevice.tells(/type the code (\S+)/) });

  const { searchParams: asked } = new URL(await web.tells(/agree in the browser: (\S+)/));
  assert.is(asked.get('scopes'), '*');
  const loopback = `http://127.0.0.1:${asked.get('port')}/callback`;
  assert.is((await fetch(`${loopback}?code=mine&state=guessed`)).status, 404);
  const { code } = await calls.authorize({
    name: asked.get('name') ?? '',
    scopes: ['*'],
    expires_at: Number(asked.get('expires_at')),
    challenge: asked.get('challenge') ?? '',
  });
  const page = await fetch(`${loopback}?${new URLSearchParams({ code, state: asked.get('state') ?? '' })}`);
  assert.match(await page.text(), /go back to the terminal/);
  const byWeb = await web.ended;
  assert.is(byWeb.code, 0, byWeb.stderr);
  const { user, scopes } = JSON.parse(byWeb.stdout);
  assert.is(user, 'root');
  assert.ok(scopes.includes('channel:write'));
  assert.match(await output('whoami -q --profile here', { token: '' }), /^root$/m);

  const byDevice = await device.ended;
  assert.is(byDevice.code, 0, byDevice.stderr);
  assert.equal(JSON.parse(byDevice.stdout).scopes, ['log:read']);
  assert.match(readFileSync(join(folder, 'profiles.yaml'), 'utf8'), /elsewhere:\n(?:.+\n)*? +token: tgm_/);
  const refused = await refusedDevice.ended;
  assert.equal([refused.code, refused.stdout], [5, ''], refused.stderr);
  assert.match(refused.stderr, /authorization_denied/);
});

machine('are not given by a browser whose user says no, and of two ways to sign in one is chosen', async () => {
  const web = start('login --web --no-store');
  const { searchParams: asked } = new URL(await web.tells(/agree in the browser: (\S+)/));
  const answer = new URLSearchParams({ error: 'access_denied', state: asked.get('state') ?? '' });
  await fetch(`http://127.0.0.1:${asked.get('port')}/callback?${answer}`);
  const { code, stdout } = await web.ended;
  assert.equal([code, stdout], [5, '']);
  for (const line of ['login --web --device', 'login --device --username root', 'login --with-token --password']) {
    const both = await start(line).ended;
    assert.is(both.code, 3, line);
    assert.match(both.stderr, /does not go with/);
  }
});

machine.run();
