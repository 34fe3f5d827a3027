import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runProgram } from '../support/command-line.ts';
import { startWebServer, type WebServer } from '../support/web-server.ts';

const empty = suite('words that name nothing');

let server: WebServer;
let folder: string;
let asked: string[] = [];

empty.before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-empty-'));
  const profiles = { current: 'here', profiles: { here: { url: 'http://127.0.0.1:9' } } };
  writeFileSync(join(folder, 'profiles.yaml'), JSON.stringify(profiles), { mode: 0o600 });
  server = await startWebServer(({ method, url }) => {
    asked.push(`${method} ${url}`);
    return {};
  });
});
empty.after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function refusalOf(argv: readonly string[], input = ''): Promise<string> {
  asked = [];
  const environment = {
    TOLLGATE_CONFIG_DIR: folder,
    TOLLGATE_URL: server.url,
    TOLLGATE_ACCESS_TOKEN: 'a'.repeat(32),
    XDG_CACHE_HOME: folder,
  };
  const ended = await runProgram(argv, { environment, input });
  assert.equal([ended.code, ended.stdout, asked], [3, '', []], `${argv.join(' ')}: ${ended.stderr}`);
  return ended.stderr;
}

const references: readonly (readonly [words: string, name: string])[] = [
  ['user get', 'user'],
  ['token delete --yes', 'token'],
  ['channel get', 'channel'],
  ['redemption disable --yes', 'code'],
  ['order get', 'trade-no'],
  ['log get', 'request-id'],
  ['state get', 'set'],
  ['group get', 'group'],
  ['profile use', 'name'],
  ['profile rename here', 'new-name'],
  ['open', 'place'],
];

empty('are refused before any call, with the name of the argument', async () => {
  for (const [words, name] of references) {
    for (const nothing of ['', '  ']) {
      assert.match(await refusalOf([...words.split(' '), nothing]), `error: <${name}> is empty`);
    }
  }
  assert.match(await refusalOf(['user', 'disable', 'alice', '', '--yes']), 'error: <user> is empty');
  assert.match(await refusalOf(['user', 'get', '', '--lang', 'zh']), '错误：<user> 为空');
  assert.match(await refusalOf(['user', 'get', 'name:']), 'error: the name of a user is empty');
  assert.match(await refusalOf(['user', 'disable', '-', '--yes'], '{"id":""}\n'), 'error: no id in');
});

empty('are not looked for in a list of JSON, of which it is said how to pipe it', async () => {
  const told = await refusalOf(['user', 'disable', '-', '--yes'], '[{"id":5},{"id":6}]\n');
  assert.match(told, /is a JSON list, not one item a line[\s\S]*try: pipe what -q or -o ndjson prints/);
});

empty('never stand for everything that a flag chooses among', async () => {
  const lines: readonly (readonly [words: string, flag: string])[] = [
    ['redemption disable --yes', '--name'],
    ['redemption export', '--name'],
    ['channel test', '--tag'],
    ['channel export', '--tag'],
    ['session revoke --all --yes', '--user'],
    ['log export', '--user'],
    ['usage report', '--channel'],
    ['log list', '--token'],
  ];
  for (const [words, flag] of lines) {
    for (const given of [[flag, ''], [`${flag}=`]]) {
      assert.match(await refusalOf([...words.split(' '), ...given]), `error: ${flag} is empty`);
    }
  }
});

empty('never take away what a flag narrows down, and are no number', async () => {
  for (const [words, flag] of [
    ['token create --name a', '--models'],
    ['token edit 4', '--models'],
    ['token edit 4', '--allow-ip'],
    ['machine-token create --name a --scope log:read', '--allow-ip'],
    ['channel edit 3', '--weight'],
    ['channel edit 3', '--priority'],
    ['price quote gpt-4o --out 5', '--in'],
  ] as const) {
    assert.match(await refusalOf([...words.split(' '), flag, '']), flag);
  }
});

empty('are no steps of a path that lead elsewhere', async () => {
  for (const step of ['.', '..']) {
    assert.match(await refusalOf(['order', 'get', step]), `error: <trade-no> cannot be ${step}`);
    assert.match(await refusalOf(['state', 'get', step]), `error: <set> cannot be ${step}`);
  }
});

empty('are values where a text is asked for', async () => {
  asked = [];
  const environment = { TOLLGATE_URL: server.url, TOLLGATE_ACCESS_TOKEN: 'a'.repeat(32) };
  await runProgram(['page', 'set', 'notice', ''], { environment });
  assert.equal(asked, ['PUT /api/option/']);
});

empty.run();
