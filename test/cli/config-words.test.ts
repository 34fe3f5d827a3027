import { writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { chineseConfigProblem, configProblemText } from '../../cli/config-words.ts';
import { placedKeys } from '../../daemon/config/key-table.ts';
import { type ConfigInput, type ConfigProblem, readConfig } from '../../daemon/config/load.ts';
import { createWorkspace } from '../support/workspace.ts';

const test = suite('problems of the configuration in Chinese');

/** Of every kind that a file may hold where something else belongs; the last are right by their type alone. */
const oddValues = [
  {},
  [],
  [1],
  ['\u0001'],
  0.5,
  -1,
  123456,
  true,
  '',
  '\0',
  'nowhere',
  'changeme',
  'a b',
  'x'.repeat(101),
];

/** Names, addresses and commands are no words of a language; what a parser or the system says is quoted. */
const namesIn =
  /（.+）|ENOENT.+|\b(?:true|false|sqlite:PATH|openssl rand -hex 32|host:port|YAML|PostgreSQL|IP|v1)\b|[a-z]+:\/\/\S+/g;

function tellsChinese(problem: ConfigProblem): void {
  const chinese = chineseConfigProblem(problem.message);
  assert.is.not(chinese, problem.message, `${problem.path}: ${problem.message}`);
  assert.match(chinese, /\p{Script=Han}/u, problem.message);
  assert.not.match(chinese.replace(namesIn, ''), /\b(?:expected|must|needs?|such as|at least|a|the|is)\b/, chinese);
}

test('are told of every key, whatever stands there', () => {
  const wrong = placedKeys().flatMap(({ path, key }) =>
    oddValues.flatMap((value) => [
      ...readConfig({ env: {}, overrides: { [path]: value } }).problems,
      ...(typeof value === 'string' ? readConfig({ env: { [key.environment[0]]: value } }).problems : []),
    ]),
  );
  assert.ok(wrong.length > 1000, `${wrong.length} problems`);
  for (const problem of wrong) tellsChinese(problem);
});

test('are told of keys that set nothing', () => {
  const read = placedKeys().flatMap(({ path }) =>
    ['yes', 'sqlite:elsewhere.db', 7].flatMap((value) => readConfig({ env: {}, overrides: { [path]: value } }).idle),
  );
  assert.ok(read.length > 2, `${read.length} keys`);
  for (const problem of read) tellsChinese(problem);
});

test('are told of files, variables and keys that contradict each other', () => {
  const workspace = createWorkspace();
  const file = workspace.path('config.yaml');
  const problemsOf = (text: string) => {
    writeFileSync(file, text);
    return readConfig({ file, env: {} }).problems;
  };
  const read = (input: Partial<ConfigInput>) => {
    const { problems, unknown } = readConfig({ env: {}, ...input });
    return [...problems, ...unknown];
  };
  const several = { 'node.count': 2, 'server.workers': 2 };
  const postgres = { 'database.url': 'postgres://tollgate@db/tollgate' };
  const found = [
    problemsOf('a: [1\n'),
    problemsOf('listen: *:3000\n'),
    problemsOf('--- 1\n--- 2\n'),
    problemsOf('log: 5\n'),
    problemsOf('lisen: 5\n'),
    problemsOf('level: warn\n'),
    problemsOf('zebra: 5\n'),
    read({ file: workspace.path('nowhere.yaml') }),
    read({ env: { TOLLGATE_LISTENN: '1' } }),
    read({ env: { TOLLGATE_PORT: '1' } }),
    read({ overrides: { nothing: 1 } }),
    read({ overrides: several }),
    read({ overrides: { 'server.workers': 2 } }),
    read({ overrides: { ...postgres, 'server.workers': 4, 'metrics.listen': '127.0.0.1:65534' } }),
    read({ overrides: { 'metrics.listen': '127.0.0.1:3000' } }),
  ];
  workspace.remove();
  for (const [place, problems] of found.entries()) {
    assert.ok(problems.length > 0, `case ${place}`);
    for (const problem of problems) tellsChinese(problem);
  }
});

test('stand in a line with their key and its variable', () => {
  const [problem] = readConfig({ env: { TOLLGATE_LISTEN: 'nowhere' } }).problems;
  assert.ok(problem);
  assert.equal(configProblemText(problem), {
    en: 'listen: expected host:port, for example 127.0.0.1:3000 or [::1]:3000 (TOLLGATE_LISTEN)',
    zh: 'listen：须为 host:port，例如 127.0.0.1:3000 或 [::1]:3000（TOLLGATE_LISTEN）',
  });
});

test.run();
