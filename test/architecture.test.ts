/** The rules of ARCHITECTURE.md that a program can see: who imports whom, sizes, names, and what is never written. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { brokenImports, findCycles } from './support/architecture-imports.ts';
import { forbiddenIn, looseSuites } from './support/architecture-words.ts';
import { readSources } from './support/source-files.ts';

const test = suite('architecture');
const sources = readSources();

/** Fails with every finding on a line of its own. */
function none(findings: readonly string[]): void {
  assert.is(findings.length, 0, `\n${findings.join('\n')}`);
}

test('every room imports only what the table of section 3 allows', () => {
  none(brokenImports(sources));
});

test('imports never form a cycle', () => {
  none(findCycles(sources).map((cycle) => cycle.join(' -> ')));
});

test('a file has at most 400 lines', () => {
  none(
    sources
      .filter(({ path }) => !path.startsWith('test/fixtures/'))
      .filter(({ lines }) => lines > 400)
      .map(({ path, lines }) => `${path}: ${lines} lines`),
  );
});

test('files are named in kebab-case for what they hold', () => {
  const strangers = /^(?:utils?|helpers?|common|misc|types?|constants?|shared|stuff|functions|lib)$/;
  none(
    sources.flatMap(({ path }) => {
      const name = path.slice(path.lastIndexOf('/') + 1).replace(/(?:\.test|\.d)?\.(?:tsx?|mjs)$/, '');
      if (strangers.test(name)) return [`${path}: says nothing of what it holds`];
      return /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) ? [] : [`${path}: is not kebab-case`];
    }),
  );
});

test('nothing is written that the house forbids', () => {
  none(sources.flatMap(forbiddenIn));
});

// A test file that makes no suite at all is reported by the runner.
test('every test suite is run', () => {
  none(sources.filter(({ path }) => path.startsWith('test/')).flatMap(looseSuites));
});

test.run();
