/** Whose token, whose language and whose time a command goes by, and what is said where that is at fault. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readProfiles } from '../../cli/profile.ts';
import { type Ended, runProgram, wordsOf } from '../support/command-line.ts';
import { startWebServer, type WebServer } from '../support/web-server.ts';

const profiles = suite('profiles of the command line');

let server: WebServer;
let answer: unknown;
let folder: string;

profiles.before(async () => {
  server = await startWebServer((_call, response) => {
    if (answer !== undefined) return answer;
    response.statusCode = 401;
    return { success: false, message: 'no', code: 'access_token_invalid' };
  });
  folder = mkdtempSync(join(tmpdir(), 'tollgate-profiles-'));
});
profiles.before.each(() => {
  answer = undefined;
});
profiles.after(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a command with one profile, `prod`, which is the current one. */
function run(words: string, profile: object, environment: Record<string, string> = {}, input = ''): Promise<Ended> {
  const kept = { current: 'prod', profiles: { prod: { url: server.url, ...profile } } };
  writeFileSync(join(folder, 'profiles.yaml'), JSON.stringify(kept), { mode: 0o600 });
  return runProgram(wordsOf(words), { environment: { TOLLGATE_CONFIG_DIR: folder, ...environment }, input });
}

const token = 't'.repeat(32);
const other = { TOLLGATE_ACCESS_TOKEN: 'o'.repeat(32) };

profiles('tell with "not signed in" where the token in use came from', async () => {
  const sources: readonly (readonly [words: string, profile: object, environment: Record<string, string>, RegExp])[] = [
    ['account models', { token }, {}, /\n {2}token from profile prod\b.*\n/],
    ['account models', { token }, other, /\n {2}token from TOLLGATE_ACCESS_TOKEN, which hides profile prod\b/],
    ['account models', {}, other, /\n {2}token from TOLLGATE_ACCESS_TOKEN(?!, which)/],
    [
      'account models',
      { token, url: 'http://127.0.0.1:9' },
      { ...other, TOLLGATE_URL: server.url },
      /TOKEN(?!, which)/,
    ],
    ['api GET /api/user/models', { token }, {}, /\n {2}token from profile prod\b/],
    ['account models', { token_command: ['echo', token] }, {}, /\n {2}token from token_command of profile prod\b/],
    ['account models --lang zh', { token }, other, /\n {2}令牌来源：TOLLGATE_ACCESS_TOKEN（优先于配置 prod）/],
  ];
  for (const [words, profile, environment, said] of sources) {
    const ended = await run(words, profile, environment);
    assert.is(ended.code, 4, ended.stderr);
    assert.match(ended.stderr, said);
  }
  const machine = await run('account models --json', { token }, other);
  assert.is(JSON.parse(machine.stderr).error.source, 'TOLLGATE_ACCESS_TOKEN, which hides profile prod');
  answer = { success: false, message: 'no', code: 'machine_token_expired' };
  const expired = await run('account models --profile prod', { token });
  assert.is(expired.code, 4);
  assert.match(expired.stderr, /token from profile prod\b[\s\S]*try: tollgate login --profile prod$/m);
  assert.match(
    (await run('account models', { token })).stderr,
    /profile prod\b[\s\S]*try: tollgate login, or machine-/,
  );
  answer = { success: false, message: 'no', code: 'machine_token_invalid' };
  assert.match((await run('account models', { token: `tgm_${token}` })).stderr, /\n {2}token from profile prod\b/);
});

profiles('say what is wrong with a token_command, or with the file, and take neither for a bug', async () => {
  const failing: readonly (readonly [profile: object, RegExp])[] = [
    [{ token_command: ['sh', '-c', 'echo sealed >&2; exit 3'] }, /token_command gave no token: exit 3, sealed\b/],
    [{ token_command: ['/nonexistent'] }, /token_command gave no token: .*ENOENT/],
    [{ token_command: ['printf', 'one\\ntwo\\n'] }, /must print exactly one line[\s\S]*try: run it by hand/],
    [{ token_command: ['true'] }, /must print exactly one line/],
    [{ token_command: [] }, /token_command is empty/],
    [{ token_command: 'echo' }, /profiles\.yaml is not a profile file\b/],
    [{ url: undefined }, /profiles\.yaml is not a profile file\b/],
    // Digits without quotes are a number, of which `session list` asked how it begins.
    [{ token: 1234 }, /profiles\.yaml is not a profile file\b/],
  ];
  for (const [profile, said] of failing) {
    const ended = await run('account models', profile);
    assert.is(ended.code, 12, ended.stderr);
    assert.match(ended.stderr, said);
  }
  writeFileSync(join(folder, 'profiles.yaml'), 'profiles: [');
  const broken = await runProgram(['profile', 'list'], { environment: { TOLLGATE_CONFIG_DIR: folder } });
  assert.equal([broken.code, /is not a profile file/.test(broken.stderr)], [12, true], broken.stderr);
});

profiles('show when their token ends as --time has it', async () => {
  const ending = { token, token_expires: '2030-01-01T00:00:00Z' };
  const list = 'profile list --columns name,expires';
  assert.is((await run(list, ending)).stdout, 'prod\t2030-01-01T00:00:00Z\n');
  assert.is((await run(`${list} --time unix`, ending)).stdout, 'prod\t1893456000\n');
  assert.is((await run(`${list} --time local --tz Asia/Shanghai`, ending)).stdout, 'prod\t2030-01-01 08:00:00\n');
  assert.is((await run(list, { token })).stdout, 'prod\t\n');
});

profiles('go to no other server where the file cannot be looked at, unless one is named', async () => {
  // As a folder that lets nobody in, which would not keep out those who run tests as root.
  const loop = join(folder, 'loop');
  symlinkSync(loop, loop);
  const at = (words: string, environment: Record<string, string> = {}) =>
    runProgram(wordsOf(words), { environment: { TOLLGATE_CONFIG_DIR: loop, ...environment } });
  for (const words of ['whoami', 'profile list', `whoami --url ${server.url} --profile prod`]) {
    const ended = await at(words);
    assert.is(ended.code, 12, ended.stderr);
    assert.match(ended.stderr, /cannot read \S+profiles\.yaml \(ELOOP\)/);
  }
  const named = await at('account models', { TOLLGATE_URL: server.url, ...other });
  assert.match(named.stderr, /token from TOLLGATE_ACCESS_TOKEN(?!, which)/);
});

profiles('take no address that calls cannot be put behind', async () => {
  for (const rest of ['/?lang=en', '#/log']) {
    const ended = await run(`whoami --url ${server.url}${rest}`, { token });
    assert.is(ended.code, 3, ended.stderr);
    assert.match(ended.stderr, /is more than an address of a server/);
  }
});

profiles('leave the profile of another server as it is, and take nothing of it along', async () => {
  const elsewhere = 'http://gateway.example';
  const prod = { url: elsewhere, token, token_command: ['echo', token], allow_http: true };
  answer = {
    success: true,
    message: '',
    data: {
      ...{ id: 1, username: 'root', display_name: '', role: 100, group: 'default', via: 'access_token' },
      ...{ scopes: null, expires_at: 1_893_456_000, machine_token: null },
    },
  };
  const fresh = 'f'.repeat(32);
  const signedIn = await run(`login --with-token --url ${server.url}`, prod, {}, fresh);
  assert.is(signedIn.code, 0, signedIn.stderr);
  const kept = await readProfiles(folder);
  const { host } = new URL(server.url);
  assert.equal(kept.profiles.prod, prod);
  assert.is(kept.current, host);
  assert.equal(kept.profiles[host], {
    ...{ url: server.url, user: 'root', user_id: 1, token: fresh, token_expires: '2030-01-01T00:00:00Z' },
  });
  const named = await run(`login --with-token --profile prod --url ${server.url}`, prod, {}, fresh);
  assert.is(named.code, 0, named.stderr);
  assert.equal((await readProfiles(folder)).profiles.prod, kept.profiles[host], 'no program of the other server');
  const inTheClear = await run('account models --url http://other.example', prod, other);
  assert.equal([inTheClear.code, /without TLS/.test(inTheClear.stderr)], [3, true], inTheClear.stderr);
});

profiles('lay nothing on a token that was not sent', async () => {
  for (const [words, profile] of [
    ['account models', {}],
    ['login --with-token', { token }],
  ] as const) {
    const ended = await run(words, profile, {}, 'z'.repeat(32));
    assert.is(ended.code, 4, ended.stderr);
    assert.not.match(ended.stderr, /token from/);
  }
});

profiles('say language and zone behind flag and variable, before the machine', async () => {
  const languages: readonly (readonly [words: string, environment: Record<string, string>, RegExp])[] = [
    ['account models', {}, /令牌来源/],
    ['account models', { LC_ALL: 'en_US.UTF-8' }, /令牌来源/],
    ['account models', { TOLLGATE_LANG: 'en' }, /token from/],
    ['account models --lang en', {}, /token from/],
    ['account models --profile other --url URL', {}, /token from/],
  ];
  for (const [words, environment, said] of languages) {
    const all = { TOLLGATE_URL: server.url, ...other, ...environment };
    const kept = { current: 'prod', profiles: { prod: { url: server.url, lang: 'zh' }, other: { url: server.url } } };
    writeFileSync(join(folder, 'profiles.yaml'), JSON.stringify(kept), { mode: 0o600 });
    const args = wordsOf(words.replace('URL', server.url));
    const ended = await runProgram(args, { environment: { TOLLGATE_CONFIG_DIR: folder, ...all } });
    assert.match(ended.stderr, said, words);
  }
  assert.match((await run('user --help', { lang: 'zh' })).stdout, /用户/);
  answer = { success: true, message: '', data: { items: [], total: 0, page: 1, page_size: 100 } };
  const since = async (words: string, profile: object, environment: Record<string, string> = {}) => {
    const ended = await run(`log list --since 2026-11-01T12:00 ${words}`, { token, ...profile }, environment);
    const url = new URL(server.asked.at(-1)?.url ?? '', server.url);
    return ended.code === 0 ? Number(url.searchParams.get('start_timestamp')) : ended.stderr;
  };
  const noon = Date.UTC(2026, 10, 1, 12) / 1000;
  assert.is(await since('', { tz: 'Asia/Shanghai' }), noon - 8 * 3600);
  assert.is(await since('', { tz: 'Asia/Shanghai' }, { TOLLGATE_TZ: 'UTC' }), noon);
  assert.is(await since('--tz Asia/Tokyo', { tz: 'Asia/Shanghai' }, { TOLLGATE_TZ: 'UTC' }), noon - 9 * 3600);
  assert.match(String(await since('', { tz: 'Mars/X' })), /Mars\/X is no time zone .*\n {2}tz\n/);
});

profiles('tell where to report an answer that breaks the contract', async () => {
  answer = { success: true, message: '', data: 7 };
  for (const [words, said] of [
    ['account models', /\ntollgate \S+, node v\S+, \S+\n {2}try: .*open an issue/],
    ['account models --lang zh', /\ntollgate \S+, node v\S+, \S+\n {2}可尝试：.*提交 issue/],
    ['account models --json', /"hint":"[^"]*open an issue/],
  ] as const) {
    const ended = await run(words, { token });
    assert.is(ended.code, 70, ended.stderr);
    assert.match(ended.stderr, said);
  }
});

profiles.run();
