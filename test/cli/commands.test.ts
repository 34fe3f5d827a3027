/** What every command has in common, and the way from an empty site to the first codes, against a whole daemon. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { completion } from '../relay/wire.ts';
import { type Ended, runProgram, startBuilt } from '../support/command-line.ts';
import { rootPassword, startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
  folder: string;
}

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

const cli = suite<World>('tollgate on the command line');

function environmentOf(world: World): Record<string, string> {
  return {
    TOLLGATE_CONFIG_DIR: world.folder,
    TOLLGATE_URL: world.daemon.url,
    TOLLGATE_ACCESS_TOKEN: world.daemon.accessToken,
  };
}

function run(
  world: World,
  args: readonly string[],
  input = '',
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return runProgram(args, { environment: { ...environmentOf(world), ...environment }, input });
}

cli.before(async (world) => {
  world.upstream = await startFakeUpstream(jsonAnswer(completion({ model: 'gpt-4o-mini', usage })));
  // The command line would wait until it may look up names again.
  world.daemon = await startTestDaemon({ config: { 'limits.search.enabled': false } });
  world.folder = mkdtempSync(join(tmpdir(), 'tollgate-cli-'));
});

cli.after(async (world) => {
  await world.daemon.stop();
  await world.upstream.close();
  rmSync(world.folder, { recursive: true, force: true });
});

cli('adds a channel from an environment secret and shows it without its key', async (world) => {
  const added = await run(
    world,
    [
      'channel',
      'create',
      '--name',
      'main',
      '--type',
      'openai',
      '--key',
      'env:UPSTREAM',
      '--base-url',
      world.upstream.url,
      '--models',
      'gpt-4o-mini',
      '-q',
    ],
    '',
    { UPSTREAM: 'sk-canary-of-the-upstream' },
  );
  assert.is(added.code, 0, added.stderr);
  assert.match(added.stdout, /^\d+\n$/);
  const shown = await run(world, ['channel', 'get', 'main', '--json']);
  const channel: unknown = JSON.parse(shown.stdout);
  assert.not.match(shown.stdout, /canary/);
  assert.ok(typeof channel === 'object' && channel !== null && 'models' in channel);
  const listed = await run(world, ['channel', 'list', '--columns', 'name,status']);
  assert.is(listed.stdout, 'main\tenabled\n');
});

cli('changes only what a flag names, and switches channels off and on', async (world) => {
  assert.is((await run(world, ['channel', 'edit', 'main', '--weight', '7'])).code, 0);
  const edited = await run(world, ['channel', 'get', 'main', '--jq', '[.weight, .models] | @json']);
  assert.is(edited.stdout, '[7,"gpt-4o-mini"]\n');
  assert.is((await run(world, ['channel', 'disable', 'main'])).code, 0);
  assert.is((await run(world, ['channel', 'get', 'main', '--jq', '.status'])).stdout, '2\n');
  assert.is((await run(world, ['channel', 'enable', 'main'])).code, 0);
});

cli('explains where a call would go, and ends with 2 when it would go nowhere', async (world) => {
  const asked = ['channel', 'explain', '--user', 'root', '--model'];
  const routed = await run(world, [...asked, 'gpt-4o-mini', '--columns', 'order,channel', '-o', 'tsv']);
  assert.is(routed.stdout, '1\tmain\n', routed.stderr);
  assert.is(routed.code, 0);
  const lost = await run(world, [...asked, 'nobody-serves-this', '-o', 'json']);
  assert.is(lost.code, 2, lost.stderr);
  assert.equal(JSON.parse(lost.stdout).candidates, []);
  const history = await run(world, ['channel', 'tests', 'main', '-o', 'json']);
  assert.is(history.code, 0, history.stderr);
  assert.equal(JSON.parse(history.stdout), []);
});

cli('previews the override of a channel or another, and ends with 2 when it refuses the call', async (world) => {
  const body = ['--body', '{"model":"m","temperature":1}', '-o', 'json'];
  const preview = ['channel', 'override', 'preview'];
  const plain = await run(world, [...preview, 'main', ...body]);
  assert.equal(JSON.parse(plain.stdout).body, { model: 'm', temperature: 1 }, plain.stderr);
  const action = { mode: 'return_error', value: { message: 'no' }, conditions: [{ path: 'retry_index', value: 1 }] };
  const other = ['--override', JSON.stringify({ operations: [action] })];
  const passed = await run(world, [...preview, ...other, ...body]);
  assert.is(passed.code, 0, passed.stderr);
  const refused = await run(world, [...preview, ...other, '--retry', '1', ...body]);
  assert.equal([refused.code, JSON.parse(refused.stdout).refusal.message], [2, 'no']);
  assert.is((await run(world, [...preview, ...body])).code, 3);
});

cli('refuses an amount that reads like dollars and sends nothing', async (world) => {
  const refused = await run(world, ['token', 'create', '--name', 'wrong', '--quota', '5']);
  assert.is(refused.code, 3);
  assert.match(refused.stderr, /5usd or 5units/);
  assert.is((await run(world, ['token', 'list', '--search', 'wrong', '-q'])).stdout, '');
});

cli('sets and reads options, and says which key is unknown', async (world) => {
  assert.is((await run(world, ['option', 'set', 'RetryTimes', '2'])).code, 0);
  assert.is((await run(world, ['option', 'get', 'RetryTimes', '-q'])).stdout, '2\n');
  const unknown = await run(world, ['option', 'set', 'NoSuchOption', '1', '--json']);
  assert.is(unknown.code, 6);
  assert.is(unknown.stdout, '');
  const report: unknown = JSON.parse(unknown.stderr);
  assert.match(JSON.stringify(report), /"code":"option_unknown".*"exit_code":6/);
  const bad = await run(world, ['option', 'set', 'RetryTimes', '99']);
  assert.is(bad.code, 3);
});

cli('creates 500 codes in a private file, once per idempotency key', async (world) => {
  const out = join(world.folder, 'codes.csv');
  const args = [
    'redemption',
    'create',
    '--name',
    'spring',
    '--count',
    '500',
    '--quota',
    '2usd',
    '--idempotency-key',
    'job-1',
    '--yes',
  ];
  const made = await run(world, [...args, '--out', out]);
  assert.is(made.code, 0, made.stderr);
  assert.is(statSync(out).mode & 0o777, 0o600);
  const lines = readFileSync(out, 'utf8').trim().split(/\r?\n/);
  assert.is(lines.length, 501);
  assert.match(lines[1] ?? '', /^[0-9a-f]{32},spring,1000000,false/);
  const again = await run(world, args);
  assert.is(again.stdout.trim().split('\n').length, 500);
  assert.is((await run(world, ['redemption', 'count', '--name', 'spring', '-q'])).stdout, '500\n');
  const other = await run(world, [...args.slice(0, 5), '499', ...args.slice(6)]);
  assert.is(other.code, 7);
});

cli('keeps a profile after signing in with a password from standard input', async (world) => {
  const environment = { TOLLGATE_ACCESS_TOKEN: '' };
  const signedIn = await run(
    world,
    ['login', '--username', 'root', '--password-stdin'],
    `${rootPassword}\n`,
    environment,
  );
  assert.is(signedIn.code, 0, signedIn.stderr);
  assert.is(statSync(join(world.folder, 'profiles.yaml')).mode & 0o777, 0o600);
  assert.is((await run(world, ['whoami', '-q'], '', environment)).stdout, 'root\n');
  assert.is((await run(world, ['logout'], '', environment)).code, 0);
  const out = await run(world, ['whoami'], '', environment);
  assert.is(out.code, 4);
});

cli('writes nothing through a profile that is for reading only', async (world) => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-read-only-'));
  const profile = { url: world.daemon.url, token: world.daemon.accessToken, read_only: true };
  writeFileSync(join(folder, 'profiles.yaml'), JSON.stringify({ current: 'prod', profiles: { prod: profile } }), {
    mode: 0o600,
  });
  const prod = (words: string) => runProgram(words.split(' '), { environment: { TOLLGATE_CONFIG_DIR: folder } });
  assert.is((await prod('option get RetryTimes -q')).stdout, '2\n');
  const unset = { TOLLGATE_CONFIG_DIR: folder, TOLLGATE_URL: '', TOLLGATE_PROFILE: '', TOLLGATE_ACCESS_TOKEN: '' };
  const whoami = await runProgram(['whoami', '--jq', '.profile'], { environment: unset });
  assert.is(whoami.stdout, 'prod\n', whoami.stderr);
  const document = join(folder, 'state.yaml');
  writeFileSync(document, 'apiVersion: tollgate/v1\nset: readers\noptions: {RetryTimes: 3}\n');
  // Both are posted, and answer "no".
  for (const words of [`diff -f ${document}`, 'channel explain --user root --model m']) {
    const asked = await prod(words);
    assert.is(asked.code, 2, asked.stderr);
  }
  const writes = [
    'option set RetryTimes 1',
    'api PUT /api/option/ -F key=RetryTimes -F value=1',
    `apply -f ${document} --adopt --yes`,
    'channel test --all',
  ];
  for (const words of writes) {
    const refused = await prod(words);
    assert.is(refused.code, 5, refused.stderr);
    assert.match(refused.stderr, /prod is read-only/);
  }
  assert.is((await prod('option get RetryTimes -q')).stdout, '2\n');
  rmSync(folder, { recursive: true });
});

cli('says in the caller’s language that the server is not there', async (world) => {
  const english = await run(world, ['status', '--url', 'http://127.0.0.1:9']);
  assert.is(english.code, 10);
  assert.match(english.stderr, /was not reached/);
  const chinese = await run(world, ['user', 'list', '--url', 'http://127.0.0.1:9', '--lang', 'zh']);
  assert.match(chinese.stderr, /无法连接/);
});

cli('answers unknown commands and a bare group with exit 3 and help on standard error', async (world) => {
  const unknown = await run(world, ['chanel']);
  assert.is(unknown.code, 3);
  assert.match(unknown.stderr, /channel/);
  const bare = await run(world, ['channel']);
  assert.is(bare.code, 3);
  assert.is(bare.stdout, '');
  assert.match(bare.stderr, /list/);
  for (const words of [['channel'], ['account', 'bind'], ['alert', 'target']]) {
    const chinese = await run(world, [...words, '--help', '--lang', 'zh']);
    assert.not.match(chinese.stdout, / {2}[a-z]+ [a-z]+ [a-z]+/, 'whole in Chinese');
  }
});

cli('names the methods that a call can have', async (world) => {
  const { code, stderr } = await run(world, ['api', 'FROB', '/api/status']);
  assert.is(code, 3);
  assert.match(stderr, /unknown method FROB; there are GET, HEAD, POST, PUT, PATCH, DELETE/);
});

cli('says which address the server does not know, and which two flags contradict each other', async (world) => {
  const unknown = await run(world, ['api', 'GET', '/api/nothing']);
  assert.is(unknown.code, 6);
  assert.match(unknown.stderr, /^error: Invalid URL \(GET \/api\/nothing\) \(http_404\)\n/);
  for (const line of ['channel list --limit', 'log list --limit', 'usage report --top']) {
    const both = await run(world, [...line.split(' '), '5', '--all']);
    assert.is(both.code, 3, line);
    assert.match(both.stderr, /--all gives every row: leave --(limit|top) out, or --all/, line);
  }
});

cli('names the variable that holds no time zone', async (world) => {
  const said = await run(world, ['log', 'list', '--since', '2026-11-01'], '', { TOLLGATE_TZ: 'Mars/X' });
  assert.is(said.code, 3, said.stderr);
  assert.match(said.stderr, /Mars\/X is no time zone .*\n {2}TOLLGATE_TZ/);
});

const misread: readonly (readonly [args: readonly string[], en: RegExp, zh: RegExp])[] = [
  [
    ['channel', 'lis'],
    /unknown command 'lis'\n\(Did you mean one of list, ls\?\)\n {2}try: tollgate channel --help/,
    /没有命令 lis\n（是否指以下之一：list, ls？）/,
  ],
  [
    ['chanel'],
    /unknown command 'chanel'\n\(Did you mean channel\?\)\n {2}try: tollgate --help/,
    /没有命令 chanel\n（是否指 channel？）/,
  ],
  [
    ['channel', 'lst'],
    /unknown command 'lst'[\s\S]*try: tollgate channel --help/,
    /没有命令 lst[\s\S]*可尝试：tollgate channel --help/,
  ],
  [['token', 'list', '--nme', 'x'], /unknown option '--nme'[\s\S]*try: tollgate token list --help/, /没有选项 --nme/],
  [['token', 'create'], /required option '--name <name>' not specified/, /缺少必填选项 --name/],
  [['token', 'create', '--name'], /option '--name <name>' argument missing/, /选项 --name <name> 缺少值/],
  [['channel', 'get'], /missing required argument 'channel'/, /缺少参数 channel/],
  [['channel', 'get', '1', '2'], /too many arguments/, /参数过多：需要 1 个，给出了 2 个/],
  ...['--time', '--money', '--color'].map(
    (flag) =>
      [
        ['token', 'list', flag, 'soon'],
        new RegExp(`option '${flag} <\\w+>' argument 'soon' is invalid. Allowed choices`),
        /值 soon 无效，可选/,
      ] as const,
  ),
  [['token', 'list', '--tz', 'Mars/X'], /argument 'Mars\/X' is invalid. It is no time zone/, /Mars\/X 不是有效的时区/],
];
for (const [args, en, zh] of misread) {
  cli(`says in both languages what is wrong with: ${args.join(' ')}`, async (world) => {
    for (const [lang, words] of [
      ['en', en],
      ['zh', zh],
    ] as const) {
      const said = await run(world, args, '', { TOLLGATE_LANG: lang });
      assert.is(said.code, 3);
      assert.is(said.stdout, '');
      assert.match(said.stderr, words);
      if (lang === 'zh') assert.not.match(said.stderr, /unknown|missing|required|Did you/);
    }
  });
}

cli('never takes the word after --json for a list of fields', async (world) => {
  const id = (await run(world, ['channel', 'list', '-q'])).stdout.trim();
  const shown = await run(world, ['channel', 'get', '--json', id]);
  assert.is(shown.code, 0, shown.stderr);
  assert.ok(shown.stdout.startsWith('{'));
});

cli('exports log rows to a file, with the totals on standard error', async (world) => {
  const file = join(world.folder, 'rows.csv');
  const exported = await run(world, ['log', 'export', '--out', file]);
  assert.is(exported.code, 0, exported.stderr);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  assert.match(lines[0] ?? '', /^id,created_at,type,/);
  assert.not.match(lines.at(-1) ?? '', /^total/);
  assert.match(
    exported.stderr,
    /^\d+ rows?: \d+ units charged, cost \d+ units; \d+ prompt and \d+ completion tokens$/m,
  );
  const ndjson = await run(world, ['log', 'export', '--format', 'ndjson', '--mine']);
  assert.is(ndjson.code, 0, ndjson.stderr);
  assert.match(ndjson.stderr, /^\d+ rows?: \d+ units charged; \d+ prompt and \d+ completion tokens$/m);
  for (const line of ndjson.stdout.trimEnd().split('\n')) assert.type(JSON.parse(line).id, 'number');
});

cli('deletes old rows only for those who name their number', async (world) => {
  const refused = await run(world, ['log', 'delete', '--before', '1d', '--confirm', '17']);
  assert.is(refused.code, 3);
  assert.match(refused.stderr, /--confirm 0/);
  const done = await run(world, ['log', 'delete', '--before', '1d', '--confirm', '0', '-o', 'json']);
  assert.is(done.code, 0, done.stderr);
  assert.equal(JSON.parse(done.stdout), { count: 0 });
});

cli('sums what was spent, and refuses a key it does not know', async (world) => {
  const report = await run(world, ['usage', 'report', '--by', 'day,model', '-o', 'csv']);
  assert.is(report.code, 0, report.stderr);
  assert.match(report.stderr, /requests/);
  assert.is((await run(world, ['usage', 'report', '--by', 'moon'])).code, 3);
});

cli('prints the document of the whole API', async (world) => {
  const printed = await run(world, ['api', '--spec']);
  assert.match(JSON.parse(printed.stdout).openapi, /^3\./);
  assert.is((await run(world, ['api'])).code, 3);
});

cli('says of an edit without a change that there is none, whatever it names', async (world) => {
  for (const kind of ['channel', 'token', 'user', 'redemption']) {
    const { code, stdout, stderr } = await run(world, [kind, 'edit', '1']);
    assert.equal([code, stdout], [3, ''], kind);
    assert.match(stderr, /nothing to change/);
  }
});

cli('makes no call beside the management API, where pages are and models are charged', async (world) => {
  for (const path of ['/', '/apis', '/v1/models', 'api/status']) {
    const { code, stdout, stderr } = await run(world, ['api', 'GET', path]);
    assert.equal([code, stdout], [3, ''], path);
    assert.match(stderr, /starts with \/api\//);
  }
});

cli('ends quietly when its reader has left', async (world) => {
  const child = startBuilt(['option', 'list', '-o', 'ndjson'], environmentOf(world));
  child.stdout?.once('data', () => child.stdout?.destroy());
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  const [code] = await once(child, 'close');
  assert.equal([code, said], [0, '']);
});

cli.run();
