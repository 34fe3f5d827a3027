import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { brokenImports, findCycles } from './architecture-imports.ts';
import { forbiddenIn, looseSuites } from './architecture-words.ts';
import type { SourceFile } from './source-files.ts';
import { importsOf, tokensOf } from './source-tokens.ts';

const test = suite('the architecture test itself');

function fileOf(path: string, text: string): SourceFile {
  const tokens = tokensOf(text);
  return { path, text, lines: text.split('\n').length, tokens, imports: importsOf(tokens) };
}

const findings = (path: string, text: string) => forbiddenIn(fileOf(path, text)).length;

test('cuts strings, templates, patterns and comments apart', () => {
  const source = 'a = `x $' + '{b ? `y $' + '{c}` : "}"} z` / 2; // it\'s\nconst p = /["\'/]/g; /* "no" */ d!.e';
  assert.equal(
    tokensOf(source).map(({ kind, text }) => `${kind} ${text}`),
    [
      'word a',
      'mark =',
      'template x ',
      'word b',
      'mark ?',
      'template y ',
      'word c',
      'template ',
      'mark :',
      'string }',
      'template  z',
      'mark /',
      'number 2',
      'mark ;',
      'word const',
      'word p',
      'mark =',
      'regex /["\'/]/g',
      'mark ;',
      'word d',
      'mark !',
      'mark .',
      'word e',
    ],
  );
});

test('finds imports of every form and none in texts and comments', () => {
  const source = `
    import a, { b } from './one.ts';
    import type { C } from './two.ts';
    import './three.ts';
    export * from './four.ts';
    export { d, type E } from './five.ts';
    export const from = './no.ts';
    // import x from './no.ts';
    const text = "import y from './no.ts'";
    const lazy = () => import('./six.ts');
    type F = typeof import('./seven.ts');
    export function g() { return { from: './no.ts' }; }
  `;
  assert.equal(
    importsOf(tokensOf(source)).map(({ specifier, how }) => `${specifier} ${how}`),
    [
      './one.ts static',
      './two.ts type',
      './three.ts static',
      './four.ts static',
      './five.ts static',
      './six.ts dynamic',
      './seven.ts type',
    ],
  );
});

test('sees imports that the table forbids', () => {
  const broken = (path: string, text: string) => brokenImports([fileOf(path, text)]).length;
  assert.is(broken('daemon/domain/a.ts', "import { b } from '../http/app.ts';"), 1);
  assert.is(broken('daemon/domain/a.ts', "import { b } from '../store/users.ts';"), 0);
  assert.is(broken('daemon/domain/a.ts', "import Knex from 'knex';"), 1);
  assert.is(broken('daemon/relay/a.ts', "import { readFileSync } from 'node:fs';"), 1);
  assert.is(broken('daemon/contract/a.ts', "import * as z from 'zod';"), 1);
  assert.is(broken('daemon/contract/a.ts', "import * as z from 'zod/mini';"), 0);
  assert.is(broken('daemon/http/a.ts', "import type { U } from '../store/users.ts';"), 0);
  assert.is(broken('daemon/http/a.ts', "import { U } from '../store/users.ts';"), 1);
  assert.is(broken('cli/a.ts', "import { b } from '../daemon/errors.ts';"), 1);
  assert.is(broken('bin/tollgate.ts', "const m = await import('../daemon/main.ts');"), 0);
  assert.is(broken('bin/tollgate.ts', "import { m } from '../daemon/main.ts';"), 1);
  assert.is(broken('daemon/store/a.ts', "import { b } from './users';"), 1);
});

test('finds a cycle however long', () => {
  const files = [
    fileOf('daemon/store/a.ts', "import './b.ts';"),
    fileOf('daemon/store/b.ts', "import type { C } from './c.ts';"),
    fileOf('daemon/store/c.ts', "import './a.ts'; import './d.ts';"),
    fileOf('daemon/store/d.ts', ''),
  ];
  assert.equal(findCycles(files), [
    ['daemon/store/a.ts', 'daemon/store/b.ts', 'daemon/store/c.ts', 'daemon/store/a.ts'],
  ]);
});

test('sees what is never written, and not what only looks like it', () => {
  for (const text of [
    'const a: any = 1;',
    'type A = Record<string, any>;',
    'const a = b as any;',
    'const a = b!.c;',
    'f(a!);',
    'let a = b()!;',
    'enum A { B }',
    'export default 1;',
    'const a = process.env.B;',
    `db.raw(\`select \${name}\`);`,
    "db.whereRaw('a = ' + name);",
    'let counter = 0;',
    ['// @ts', 'ignore'].join('-'),
    'await fetch(url);',
    'await globalThis.fetch(url, { method });',
    "import { request } from 'node:https';",
    "import { lookup } from 'node:dns/promises';",
    'const plugin = await import(address);',
    "await import('data:text/javascript,1');",
    'eval(text);',
    'new Function(text)();',
    "import { runInThisContext } from 'node:vm';",
  ]) {
    assert.is(findings('daemon/store/a.ts', text), text.startsWith('let a') ? 2 : 1, text);
  }
  for (const text of [
    'where((any) => any.orWhere(1));',
    'like(any, engine);',
    'Promise.any([a]);',
    'if (a !== b && !c) return !d;',
    'const a = !b;',
    'db.raw(`select ??`, [name]);',
    `const part = engine === 'x' ? 'strpos' : 'instr'; db.whereRaw(\`\${part}(?)\`, [a]);`,
    "db.raw('a ' + 'b');",
    'function f() { let a = 0; return a; }',
    "const a = 'process.env and any!';",
    'interface A { fetch(url: string): Promise<void> }',
    'const f = (fetch: GuardedFetch) => fetch({ url });',
    'files.fetch(url);',
    "const { a } = await import('./a.ts');",
  ]) {
    assert.is(findings('daemon/store/a.ts', text), 0, text);
  }
});

test('sees a suite that is not run', () => {
  const loose = (text: string) => looseSuites(fileOf('test/a.test.ts', text)).length;
  assert.is(loose("const one = suite('a'); const two = suite('b'); one.run();"), 1);
  assert.is(loose("import { test } from 'uvu'; test('a', () => {}); test.run();"), 1);
});

test.run();
