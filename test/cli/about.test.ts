/** What the program says about itself, and how it ends as a process: no daemon is needed for either. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exitCodes } from '../../cli/exit-codes.ts';
import { topicNames } from '../../cli/help-topics.ts';
import { specialFieldsOf } from '../../console/pages/channels/special-fields.ts';
import { channelTypes } from '../../daemon/contract/channel-types.ts';
import { builtProgram, type Ended, runBuilt, runProgram, startBuilt, wordsOf } from '../support/command-line.ts';
import { startWebServer } from '../support/web-server.ts';

const about = suite('the program about itself');

/** A server that takes calls and never answers. */
let silent: Server;
let folder: string;
let environment: Record<string, string>;

about.before(async () => {
  silent = createServer();
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = silent.address();
  folder = mkdtempSync(join(tmpdir(), 'tollgate-about-'));
  const port = typeof address === 'object' ? address?.port : 0;
  environment = { TOLLGATE_CONFIG_DIR: folder, TOLLGATE_URL: `http://127.0.0.1:${port}`, TOLLGATE_ACCESS_TOKEN: 't' };
});
about.after(() => {
  silent.closeAllConnections();
  silent.close();
  rmSync(folder, { recursive: true, force: true });
});

const entries = [{ path: 'listen', value: '0.0.0.0:3000', source: 'default', environment: 'TOLLGATE_LISTEN' }];
const local = { checkConfig: async () => ({ problems: [], idle: [], unknown: [], entries }) };

const run = (line: string, more: Readonly<Record<string, string>> = {}): Promise<Ended> =>
  runProgram(wordsOf(line), { environment: { ...environment, ...more }, local });

about('explains every topic in both languages, and each exit code there is', async () => {
  for (const topic of topicNames) {
    const english = await run(`help ${topic}`);
    const chinese = await run(`help ${topic}`, { TOLLGATE_LANG: 'zh' });
    assert.equal([english.code, chinese.code], [0, 0], topic);
    assert.match(chinese.stdout, /\p{Script=Han}/u);
    assert.not.match(english.stdout, /\p{Script=Han}/u);
  }
  const codes = (await run('help exit-codes')).stdout.match(/^ *\d+/gm)?.map(Number);
  assert.equal(codes, Object.values(exitCodes));
  assert.match((await run('help environment')).stdout, /^TOLLGATE_ACCESS_TOKEN [\s\S]*\nTOLLGATE_LISTEN +listen\n/m);
  assert.match((await run('help channel-settings')).stdout, /^ollama_native +Ollama: chats by /m);
});

about('says of every type that reads --other what it is to hold', async () => {
  for (const lang of ['en', 'zh']) {
    const { stdout } = await run(`help channel-rules --lang ${lang}`);
    const told = /--other([\s\S]*)\n\S/.exec(stdout)?.[1] ?? '';
    for (const { type, name } of channelTypes) {
      if (specialFieldsOf(type).other === undefined) continue;
      assert.match(told, new RegExp(`[\\s、；]${name}[,:：、]`), `${lang}: ${name}`);
    }
  }
});

about('says with -h what a command does and takes, and with --help all of it, examples before flags', async () => {
  const short = (await run('channel test -h')).stdout;
  assert.match(short, /^Test channels through the live path\n\nUsage: tollgate channel test /);
  assert.match(short, /\n {2}\$ tollgate channel test 3\n\n/);
  assert.match(short, / --disable-failing /);
  assert.not.match(short, /Common flags:|--jq|JSON fields:/);
  const whole = (await run('channel test --help')).stdout;
  const order = ['Usage:', 'Examples:', 'Arguments:', 'Options:', 'Common flags:', 'Columns:', 'JSON fields:'];
  const places = [...order, 'Exit codes:', 'Calls:', 'See also:'].map((title) => whole.indexOf(`\n${title}`));
  assert.equal(
    [...places].sort((a, b) => a - b),
    places,
  );
  assert.ok(places[0] !== undefined && places[0] > 0);
  assert.match(whole, /\n {2}2 +the check ran; its answer is no\n/);
  assert.match(whole, /\n {2}8 +--wait or --timeout ran out/);
  assert.match(whole, /\n {2}GET \/api\/channel\/test\/:id\n/);
  assert.match((await run('channel test -h --lang zh')).stdout, /\n用法：tollgate channel test .*\n[\s\S]*\n选项：\n/);
  assert.not.match((await run('channel --help')).stdout, /list\|ls/);
});

about('says in one line of JSON what is wrong with a command line whose result would be JSON', async () => {
  for (const line of ['user list --nope --json', 'user lst -o ndjson', 'user get --output=json', '--jq . nothing']) {
    const ended = await run(line);
    assert.equal([ended.code, ended.stdout], [3, ''], line);
    const { error } = JSON.parse(ended.stderr);
    assert.equal([error.code, error.exit_code], ['usage', 3], line);
    assert.match(error.hint, /(?:^|\?\) )tollgate .*--help$/, 'the words alone');
  }
  assert.match((await run('user list --nope')).stderr, /^error: unknown option '--nope'/);
});

about(
  'says which flags a command cannot do without, and no default where an edit leaves things as they are',
  async () => {
    for (const form of ['-h', '--help']) {
      const create = (await run(`redemption create ${form}`)).stdout;
      assert.match(create, /--name <name> +1-20 characters \(required\)$/m);
      assert.match(create, /--quota <money> +value of each code, e\.g\. 2usd \(required\)$/m);
    }
    assert.match((await run('wallet pay -h --lang zh')).stdout, /--method .*（可选：zfb、wx）（必填）$/m);
    assert.not.match((await run('redemption edit -h')).stdout, /required/);
    assert.match((await run('token create -h')).stdout, /--quota <money> +amount, or unlimited \(1usd\)$/m);
    const edit = (await run('token edit -h')).stdout;
    assert.match(edit, /--quota <money> +amount, or unlimited$/m);
    assert.not.match(edit, /\((?:1usd|never|account|drop)\)/);
  },
);

about('explains commands like their --help, and does not know others', async () => {
  const asked = await run('help channel create');
  assert.match(asked.stdout, /Usage: tollgate channel create/);
  assert.is(asked.stdout, (await run('channel create --help')).stdout);
  assert.match(asked.stdout, /\nColumns:\n {2}id, name, type, [\s\S]*\nJSON fields:\n {2}id, type, /);
  assert.match(
    (await run('channel tag list --help --lang zh')).stdout,
    /\n列：\n {2}tag, channels, [\s\S]*\nJSON 字段：\n {2}tag, /,
  );
  const unknown = await run('help weather');
  assert.is(unknown.code, 3);
  assert.match(unknown.stderr, /exit-codes/);
});

about('speaks the language of flag, variable or locale, and English in the C locale', async () => {
  const headings: (readonly [string, Readonly<Record<string, string>>, RegExp])[] = [
    ['channel list --help', { LANG: 'zh_CN.UTF-8' }, /列出/],
    ['channel list --help', { LC_ALL: 'C', LANG: 'zh_CN.UTF-8' }, /List/],
    ['channel list --help', { LC_ALL: 'C', TOLLGATE_LANG: 'zh' }, /列出/],
    ['channel list --lang en --help', { TOLLGATE_LANG: 'zh' }, /List/],
    ['channel list --help', { LANG: 'fr_FR.UTF-8' }, /List/],
  ];
  for (const [line, names, heading] of headings) assert.match((await run(line, names)).stdout, heading);
});

about('tells its version without a server', async () => {
  const told = await run('version --url http://127.0.0.1:9 --jq .client');
  assert.is(told.code, 0);
  assert.match(told.stdout, /^\d+\.\d+\.\d+\n$/);
  assert.match(told.stderr, /not reached/);
});

about('asks the registry for a newer version when told to, and nobody else', async () => {
  let latest: unknown = { version: '999.0.0' };
  let status = 200;
  const registry = await startWebServer((_call, response) => {
    response.statusCode = status;
    return latest;
  });
  const check = (line = 'version --check -o json', at = registry.url) =>
    run(`${line} --url http://127.0.0.1:9`, { npm_config_registry: `${at}/` });
  try {
    await check('version -o json');
    assert.is(registry.asked.length, 0, 'not unless it is told to');
    const newer = await check();
    assert.is(newer.code, 2, newer.stderr);
    assert.is(JSON.parse(newer.stdout).latest, '999.0.0');
    assert.match(newer.stderr, /npm install --global tollgate@999\.0\.0\n$/);
    const [asked] = registry.asked;
    assert.equal([asked?.method, asked?.url, asked?.headers.authorization], ['GET', '/tollgate/latest', undefined]);
    latest = { version: '0.0.1' };
    assert.is((await check()).code, 0);
    for (const answer of [{ version: 'soon' }, { name: 'x' }, 'text']) {
      latest = answer;
      assert.is((await check()).code, 10);
    }
    status = 404;
    assert.is((await check()).code, 6);
    status = 503;
    assert.is((await check()).code, 10);
    assert.is((await check('version --check', 'http://127.0.0.1:9')).code, 10);
  } finally {
    await registry.stop();
  }
});

const completed = async (words: readonly string[]): Promise<string[]> => {
  const { stdout } = await runProgram(['__complete', '--', ...words], { environment });
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t')[0] ?? '');
};

about('completes commands, flags, their values and profiles', async () => {
  writeFileSync(join(folder, 'profiles.yaml'), 'profiles: {prod: {url: "https://a.example"}}\n', { mode: 0o600 });
  assert.equal(await completed(['chan']), ['channel']);
  assert.ok((await completed(['channel', ''])).includes('explain'));
  assert.not.ok((await completed([''])).includes('__complete'));
  assert.equal(await completed(['channel', 'list', '--ta']), ['--tag']);
  assert.equal(await completed(['channel', 'list', '-o', 'y']), ['yaml']);
  assert.equal(await completed(['channel', '--json', 'ls', '--by']), ['--by-tag']);
  assert.equal(await completed(['user', 'list', '--profile', '']), ['prod']);
  assert.equal(await completed(['profile', 'use', '']), ['prod']);
  assert.equal(await completed(['completion', 'f']), ['fish']);
  assert.equal(await completed(['channel', 'get', 'x']), []);
  assert.is((await run('completion tcsh')).code, 3);
});

about('completes in bash with the script it prints', async () => {
  const { stdout: script } = await run('completion bash');
  const shell = `tollgate() { '${process.execPath}' '${builtProgram}' "$@"; }
${script}
COMP_LINE='tollgate channel ex'; COMP_POINT=19; _tollgate; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', shell], { encoding: 'utf8' });
  assert.is(stdout, 'explain\nexport\n', stderr);
});

about('ends with 130 and 143 when a signal comes during a call', async () => {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    const child = startBuilt(['user', 'list'], environment);
    await once(silent, 'request');
    child.kill(signal);
    const [ended] = await once(child, 'close');
    assert.is(ended, code);
  }
});

about('says that standard output is full, and ends with 12', () => {
  const full = openSync('/dev/full', 'w');
  for (const line of ['help exit-codes', 'user list --help']) {
    const { status, stderr } = spawnSync(process.execPath, [builtProgram, ...wordsOf(line)], {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });
    assert.is(status, 12, stderr);
    assert.match(stderr, /^error: .*ENOSPC.*\n$/);
  }
});

about('runs as built like it runs here', async () => {
  const line = wordsOf('chanel list');
  assert.equal(await runBuilt(line, { environment }), await runProgram(line, { environment }));
});

about.run();
