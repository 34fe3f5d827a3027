/** The table of commands against the contract: what the server can do has a command, or a reason to have none. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CommandText, commandPath } from '../../cli/command.ts';
import { localCommandsThat } from '../../cli/local-commands.ts';
import { notCommands } from '../../cli/not-commands.ts';
import { buildProgram } from '../../cli/program.ts';
import { contract } from '../../daemon/contract/index.ts';
import { importsOf, tokensOf } from '../support/source-tokens.ts';

const parity = suite('the table of commands');

const elsewhere = () => Promise.reject(new Error('no command is run here'));
const stream = new PassThrough();
const commands = new Map<string, CommandText>();
buildProgram({
  environment: {},
  host: { stdin: stream, stdout: stream, stderr: stream },
  signal: new AbortController().signal,
  local: localCommandsThat(elsewhere),
  language: 'en',
  onCommand: (command, text) => commands.set(commandPath(command), text),
});

const endpoints = Object.entries(contract).flatMap(([resource, members]) =>
  Object.keys(members).map((name) => `${resource}.${name}`),
);
const called = new Set([...commands.values()].flatMap(({ calls }) => calls ?? []));

parity('calls every endpoint of the contract, or says why not', () => {
  assert.equal(
    endpoints.filter((name) => !called.has(name) && !Object.hasOwn(notCommands, name)),
    [],
  );
});

parity('names no endpoint that does not exist, and excuses none that has a command', () => {
  const known = new Set(endpoints);
  assert.equal(
    [...called, ...Object.keys(notCommands)].filter((name) => !known.has(name)),
    [],
  );
  assert.equal(
    Object.keys(notCommands).filter((name) => called.has(name)),
    [],
  );
});

parity('describes each command in both languages, with an example that begins with its words', () => {
  const bad = [...commands].filter(([path, { summary, examples }]) => {
    const shown = examples.length > 0 && examples.every((example) => isExampleOf(example, path));
    return summary.en === '' || !/\p{Script=Han}/u.test(summary.zh) || !shown;
  });
  assert.equal(
    bad.map(([path, { examples }]) => ({ path, examples })),
    [],
  );
});

function isExampleOf(example: string, path: string): boolean {
  return example === path || example.startsWith(`${path} `);
}

/** What is loaded before any command runs: files of the house by path, packages by name. */
function loadedAtStart(file: string, seen = new Set<string>()): ReadonlySet<string> {
  seen.add(file);
  for (const { specifier, how } of importsOf(tokensOf(readFileSync(file, 'utf8')))) {
    if (how !== 'static') continue;
    if (!specifier.startsWith('.')) seen.add(specifier);
    else if (!seen.has(join(dirname(file), specifier))) loadedAtStart(join(dirname(file), specifier), seen);
  }
  return seen;
}

parity('is shown and completed without loading a schema, a screen or jq', () => {
  const loaded = [...loadedAtStart(new URL('../../cli/program.ts', import.meta.url).pathname)];
  assert.ok(loaded.includes('commander'));
  const heavy = /^(?:zod|ink|react|jq-web|csv-parse|@clack)\b|\/daemon\//;
  assert.equal(
    loaded.filter((name) => heavy.test(name)),
    [],
  );
});

parity.run();
