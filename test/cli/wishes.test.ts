/** What is asked of a result by name is held against what the command prints before anything happens: of every command. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CommandText, commandPath } from '../../cli/command.ts';
import { localCommandsThat } from '../../cli/local-commands.ts';
import { buildProgram } from '../../cli/program.ts';
import { runBuilt, runProgram, wordsOf } from '../support/command-line.ts';
import { startWebServer, type WebServer } from '../support/web-server.ts';

const wishes = suite('wishes by name');

const profiles = 'current: here\nprofiles:\n  here:\n    url: http://127.0.0.1:9\n    token: t\n';
let folder: string;
let server: WebServer;
let environment: Record<string, string>;
/** What happened that should not have. */
const happened: string[] = [];

wishes.before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-wishes-'));
  writeFileSync(join(folder, 'profiles.yaml'), profiles, { mode: 0o600 });
  server = await startWebServer(({ method, url }) => {
    happened.push(`${method} ${url}`);
    return {};
  });
  environment = {
    TOLLGATE_CONFIG_DIR: folder,
    TOLLGATE_URL: server.url,
    TOLLGATE_ACCESS_TOKEN: 'a'.repeat(32),
    TOLLGATE_API_KEY: 'sk-key',
    XDG_CACHE_HOME: folder,
  };
});
wishes.after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const local = localCommandsThat(async (name) => {
  happened.push(name);
  throw new Error(`${name} was run`);
});

/** Every command of the program with words that it takes. */
function commandLines(): { path: string; words: string[]; text: CommandText; command: Command }[] {
  const stream = new PassThrough();
  const found: { command: Command; text: CommandText }[] = [];
  buildProgram({
    environment: {},
    host: { stdin: stream, stdout: stream, stderr: stream },
    signal: new AbortController().signal,
    local,
    language: 'en',
    onCommand: (command, text) => found.push({ command, text }),
  });
  return found.map(({ command, text }) => {
    const given = command.registeredArguments
      .filter(({ required }) => required)
      .map((argument) => argument.argChoices?.[0] ?? '1');
    const flags = command.options.flatMap(({ mandatory, long }) => (mandatory && long ? [long, '1'] : []));
    const path = commandPath(command);
    const words = path === 'api' ? ['PUT', '/api/user/self'] : given;
    return { path, words: [...path.split(' '), ...words, ...flags], text, command };
  });
}

const lines = commandLines();

/** The words of every command of the program, by its own tree. */
function paths(command: Command): string[] {
  const own = command.commands.filter((child) => !child.name().startsWith('_'));
  return own.flatMap((child) => [commandPath(child), ...paths(child)]);
}

wishes('are known of every command there is', () => {
  const [first] = lines;
  assert.ok(first);
  let program: Command = first.command;
  while (program.parent) program = program.parent;
  const groups = new Set(paths(program).map((path) => path.replace(/ ?\S+$/, '')));
  const leaves = paths(program).filter((path) => !groups.has(path) || lines.some((line) => line.path === path));
  assert.equal(leaves.sort(), lines.map(({ path }) => path).sort());
  assert.ok(lines.length > 120, String(lines.length));
});

const refused: [flag: string, field: string][] = [
  ['--columns=nope', '--columns'],
  ['--json=nope', '--json'],
  ['--jq=.[', '--jq'],
];

for (const [flag, field] of refused) {
  wishes(`that no command can meet are refused by all before anything is sent: ${flag}`, async () => {
    for (const { path, words } of lines) {
      const ended = await runProgram([...words, '--yes', '-o', 'json', flag], { environment, local });
      const shown = `${path} ${flag}: ${ended.stderr}`;
      assert.is(ended.code, 3, shown);
      assert.is(ended.stdout, '', shown);
      assert.is(JSON.parse(ended.stderr).error.field, field, shown);
      assert.equal(happened, [], shown);
    }
    assert.is(readFileSync(join(folder, 'profiles.yaml'), 'utf8'), profiles);
    assert.equal(readdirSync(folder), ['profiles.yaml']);
  });
}

wishes('for one of a few words are refused with the words there are', async () => {
  // These want another word first, or an answer of the server.
  const later = /^(backup|setup|user create|account settings edit|option list|alert target set) /;
  const wrong: string[] = [];
  const asked = new Set<string>();
  for (const { path, words, command } of lines) {
    for (const { long, argChoices } of command.options) {
      if (argChoices === undefined || long === undefined || later.test(`${path} `)) continue;
      asked.add(`${path} ${long}`);
      const ended = await runProgram([...words, long, 'nope', '--yes'], { environment, local });
      const isTold = argChoices.every((word) => ended.stderr.includes(word));
      if (ended.code !== 3 || !isTold) wrong.push(`${path} ${long}: ${ended.code} ${ended.stderr}`);
    }
  }
  happened.length = 0;
  assert.equal(wrong, []);
  for (const flag of ['wallet orders --status', 'channel test --endpoint', 'alert test --kind']) {
    assert.ok(asked.has(flag), flag);
  }
});

wishes('for an order are taken by every list, and held against its fields', async () => {
  const lists = lines.filter(({ text }) => text.orders !== undefined);
  const unordered = lines.filter(({ path, text, command }) => {
    const isList = path.endsWith(' list') || command.options.some(({ long }) => long === '--limit');
    return isList && text.orders === undefined;
  });
  assert.equal(
    unordered.map(({ path }) => path),
    [],
  );
  for (const { path, words } of lists) {
    const unknown = await runProgram([...words, '--sort', 'nope', '-o', 'json'], { environment });
    assert.is(unknown.code, 3, `${path}: ${unknown.stderr}`);
    const { field, message } = JSON.parse(unknown.stderr).error;
    assert.is(field, '--sort', path);
    const [first = ''] = /^no field nope; there are ([\w.]+)/.exec(message)?.slice(1) ?? [];
    assert.is.not(first, '', `${path}: ${message}`);
    assert.equal(happened, [], path);
  }
});

wishes('for a part of a list that would have to be sorted are refused with what to do', async () => {
  for (const [line, field] of [
    ['user list --sort username --limit 5', '--limit'],
    ['channel list --sort name --limit 5', '--limit'],
    ['usage report --sort quota --top 5', '--top'],
  ]) {
    const ended = await runProgram(wordsOf(`${line} -o json`), { environment });
    assert.is(ended.code, 3, line);
    const { error } = JSON.parse(ended.stderr);
    assert.is(error.field, field);
    assert.match(error.hint, new RegExp(`leave ${field} out`));
  }
  assert.match((await runProgram(wordsOf('log list -f --sort quota'), { environment })).stderr, /--follow.*--sort/);
  assert.equal(happened, []);
});

wishes('name what there is, in either language, and leave nothing behind', async () => {
  const out = join(folder, 'out.csv');
  const built = await runBuilt(wordsOf(`token create --name x --columns nope --out ${out}`), { environment });
  assert.is(built.code, 3, built.stderr);
  assert.match(built.stderr, /no column nope; there are id, name, key, status/);
  assert.not(existsSync(out));
  const chinese = await runBuilt(wordsOf('token delete 7 --yes --json=id --lang zh'), { environment });
  assert.is(chinese.code, 3, chinese.stderr);
  assert.match(chinese.stderr, /此命令不输出字段/);
  const dry = await runProgram(wordsOf('token create --name x --json=nope --dry-run'), { environment });
  assert.is(dry.code, 3, 'a dry run finds what the run would');
  assert.equal(happened, []);
});

wishes('for help are answered without asking the server', async () => {
  for (const { path, words, text } of lines) {
    if (typeof text.prints === 'string') continue;
    const columns = await runProgram([...words, '--columns', 'help'], { environment });
    // Some print rows only with certain flags.
    if (/prints no columns/.test(columns.stderr)) continue;
    assert.is(columns.code, 0, `${path}: ${columns.stderr}`);
    assert.match(columns.stdout, /^\S/, path);
    if (path === 'api') continue;
    const fields = await runProgram([...words, '--json=help'], { environment });
    assert.is(fields.code, 0, `${path}: ${fields.stderr}`);
    assert.match(fields.stdout, /^[\w.]+\n/, path);
  }
  assert.equal(happened, []);
});

wishes('for files that cannot be read or written are refused with the reason, and what to look at', async () => {
  const lost = join(folder, 'nowhere', 'file');
  const lines = [
    [`page set notice @${lost}`, 'cannot read'],
    [`apply -f ${lost}`, 'cannot read'],
    [`user list --ca-file ${lost}`, 'cannot read'],
    [`user list --out ${lost}`, 'cannot write'],
  ] as const;
  for (const [line, words] of lines) {
    const ended = await runProgram(wordsOf(line), { environment });
    assert.equal([ended.code, ended.stdout], [12, ''], line);
    assert.match(ended.stderr, new RegExp(`error: ${words} ${lost} \\(ENOENT\\)[\\s\\S]*try: check the path`), line);
  }
});

wishes.run();
