/** The table of commands against the contract: what the server can do has a command, or a reason to have none. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
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
const declared = new Map<string, Command>();
const surroundings = {
  environment: {},
  host: { stdin: stream, stdout: stream, stderr: stream },
  signal: new AbortController().signal,
  local: localCommandsThat(elsewhere),
  language: 'en',
} as const;
const program = buildProgram({
  ...surroundings,
  onCommand: (command, text) => {
    commands.set(commandPath(command), text);
    declared.set(commandPath(command), command);
  },
});

const endpoints = Object.entries(contract).flatMap(([resource, members]) =>
  Object.keys(members).map((name) => `${resource}.${name}`),
);
const called = new Set([...commands.values()].flatMap(({ calls }) => calls ?? []));

parity('makes a command without the others, but for those that look at all of them', () => {
  const lookAround = ['ui', 'version', 'help', 'completion', '__complete'];
  for (const name of program.commands.map((command) => command.name())) {
    const made = buildProgram(surroundings, name).commands.map((command) => command.name());
    assert.ok(made.includes(name), name);
    assert.is(made.length === program.commands.length, lookAround.includes(name), `${name} comes with ${made}`);
  }
});

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

/** What is wrong with an example as a line of its command: nothing for one that can be read. */
function mistakeIn(example: string, command: Command): string | undefined {
  // What stands behind a redirection is the shell's.
  const [line = ''] = example.split(/ (?:<|>>?|\|) /);
  const words = line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)?.map((word) => word.replace(/['"]/g, '')) ?? [];
  const own = words.slice(commandPath(command).split(' ').length).map((word) => (word === '--json' ? '--json=' : word));
  try {
    const { operands, unknown } = command.exitOverride().parseOptions(own);
    const all = [...operands, ...unknown.filter((word) => word !== '--')];
    const { registeredArguments: known } = command;
    const flag = unknown.find((word) => word.startsWith('-') && word !== '-' && word !== '--');
    if (flag !== undefined) return `no flag ${flag}`;
    if (all.length < known.filter(({ required }) => required).length) return 'an argument is missing';
    return all.length > known.length && !known.at(-1)?.variadic ? 'too many arguments' : undefined;
  } catch (error) {
    return String(error);
  }
}

parity('gives examples that the command line can read, flags and values and arguments', () => {
  const told = [...commands].flatMap(([path, { examples }]) => {
    const command = declared.get(path);
    assert.ok(command);
    // Nobody is to see what commander says of those.
    command.configureOutput({ writeErr: () => undefined });
    return examples.flatMap((example) => {
      const mistake = mistakeIn(example, command);
      return mistake === undefined ? [] : [`${example}: ${mistake}`];
    });
  });
  assert.equal(told, []);
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

parity('is shown and completed without loading a schema, a screen, jq or what makes calls', () => {
  const loaded = [...loadedAtStart(fileURLToPath(new URL('../../cli/program.ts', import.meta.url)))];
  assert.ok(loaded.includes('commander'));
  // These load nothing but each other.
  const heavy =
    /^(?:zod|ink|react|jq-web|csv-parse|@clack|undici)\b|\/daemon\/(?!contract\/(?:account-limits|alert-kinds|fill-text|reason-catalogue|redemption-limits|roles|spreadsheet-text|status-reason)\.ts$)/;
  assert.equal(
    loaded.filter((name) => heavy.test(name)),
    [],
  );
});

parity.run();
