/** The documents against what there is: files, scripts, variables and commands that they name. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { localCommandsThat } from '../cli/local-commands.ts';
import { buildProgram } from '../cli/program.ts';
import { placedKeys } from '../daemon/config/key-table.ts';

const documents = suite('documents');

const root = new URL('../', import.meta.url);
const pages = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'],
  ...readdirSync(new URL('docs/', root))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
].map((path) => ({ path, text: readFileSync(new URL(path, root), 'utf8') }));

/** What every page holds of this form, with the page it stands on. */
function found(pattern: RegExp): { readonly path: string; readonly match: RegExpMatchArray }[] {
  return pages.flatMap(({ path, text }) => [...text.matchAll(pattern)].map((match) => ({ path, match })));
}

/** Paths of the sources, and every end of each. */
function knownFiles(): Set<string> {
  const known = new Set<string>();
  for (const folder of ['bin', 'cli', 'console', 'daemon', 'migrations', 'test']) {
    for (const below of readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' })) {
      const parts = `${folder}/${below}`.split(/[\\/]/);
      for (let from = 0; from < parts.length; from += 1) known.add(parts.slice(from).join('/'));
    }
  }
  return known;
}

documents('name no source that is not there', () => {
  const known = knownFiles();
  // Names that somebody may choose.
  const examples = new Set(['FILE.ts', 'x.ts', 'cli/commands/channels.ts', 'wire.ts']);
  const missing = found(/(?<![\w<>/.-])(?:\.\/)?([\w.-]+(?:\/[\w.-]+)*\.(?:tsx?|mjs))\b/g)
    .map(({ path, match }) => `${path}: ${match[1]}`)
    .filter((named) => {
      const file = named.replace(/^.*: /, '');
      return !known.has(file) && !examples.has(file);
    });
  assert.equal(missing, []);
});

documents('link to pages that are there', () => {
  const broken = found(/\]\((?!https?:|#)([^)#]+)/g)
    .filter(({ path, match }) => !existsSync(new URL(match[1] ?? '', new URL(path, root))))
    .map(({ path, match }) => `${path}: ${match[1]}`);
  assert.equal(broken, []);
});

documents('let the proxy take bodies as large as the daemon does', () => {
  const largest = placedKeys().find(({ path }) => path === 'relay.max_request_body_mb');
  const told = found(/client_max_body_size (\d+)m;/g).map(({ match }) => Number(match[1]));
  assert.equal(told, [largest?.key.default]);
});

documents('name scripts of the package', () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(
    readFileSync(new URL('package.json', root), 'utf8'),
  );
  const own = new Set(['ci', 'install', 'pack', 'publish', 'audit', ...Object.keys(scripts)]);
  const unknown = found(/\bnpm (?:run )?([a-z]+)\b/g)
    .filter(({ match }) => /^npm run|^npm (?:start|test)/.test(match[0]) && !own.has(match[1] ?? ''))
    .map(({ path, match }) => `${path}: ${match[0]}`);
  assert.equal(unknown, []);
});

documents('name variables that are read', () => {
  const known = new Set(placedKeys().flatMap(({ key }) => key.environment));
  const cli = readFileSync(new URL('cli/help-topics.ts', root), 'utf8');
  const unknown = found(/\bTOLLGATE_[A-Z_]+\b/g)
    .map(({ path, match }) => ({ path, name: match[0] }))
    .filter(({ name }) => name !== 'TOLLGATE_' && !known.has(name) && !cli.includes(name))
    .map(({ path, name }) => `${path}: ${name}`);
  assert.equal(unknown, []);
});

const nowhere = new PassThrough();
const elsewhere = () => Promise.reject(new Error('no command is run here'));
const program = buildProgram({
  environment: {},
  host: { stdin: nowhere, stdout: nowhere, stderr: nowhere },
  signal: new AbortController().signal,
  local: localCommandsThat(elsewhere),
  language: 'en',
});

/** What is wrong with the words behind `tollgate`; undefined when a command of that name and with those flags exists. */
function problemOf(words: readonly string[]): string | undefined {
  let at: Command = program;
  let path = 'tollgate';
  for (const word of words) {
    if (word.startsWith('--')) {
      const flag = word.replace(/[=].*$/, '');
      const isKnown = [at, program].some(({ options }) =>
        options.some(({ long }) => long === flag || long === flag.replace('--', '--no-')),
      );
      if (!isKnown && flag !== '--help' && flag !== '--version') return `${path} has no ${flag}`;
      continue;
    }
    if (at.commands.length === 0 || !/^[a-z][a-z-]*$/.test(word)) continue;
    const next: Command | undefined = at.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (next === undefined) return `${path} has no ${word}`;
    at = next;
    path += ` ${word}`;
  }
  return undefined;
}

documents('name commands and flags that there are', () => {
  const wrong = found(/(?:^|`|\(|\$ )tollgate ((?:[a-z][a-z-]*)(?: [^\n`|<>()']+)?)/gm).flatMap(({ path, match }) => {
    const problem = problemOf((match[1] ?? '').split(/\s+/));
    return problem === undefined ? [] : [`${path}: ${problem} (${match[0].trim()})`];
  });
  assert.equal(wrong, []);
});

documents.run();
