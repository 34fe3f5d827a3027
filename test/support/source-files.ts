/** The project's own sources, read and cut into tokens once. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importsOf, type SourceImport, type Token, tokensOf } from './source-tokens.ts';

export interface SourceFile {
  /** From the project's folder, with slashes. */
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  readonly tokens: readonly Token[];
  readonly imports: readonly SourceImport[];
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const rooms = ['bin', 'cli', 'console', 'daemon', 'migrations', 'test'];

/** Every TypeScript and plain JavaScript source of the project, fixtures left out. */
export function readSources(): SourceFile[] {
  return rooms.filter((room) => existsSync(join(root, room))).flatMap(sourcesBelow);
}

function sourcesBelow(folder: string): SourceFile[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return path === 'test/fixtures' || entry.name === 'assets' ? [] : sourcesBelow(path);
    return /\.(?:tsx?|mjs)$/.test(entry.name) ? [readSource(path)] : [];
  });
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8');
  const tokens = tokensOf(text);
  return { path, text, lines: text.split('\n').length - 1, tokens, imports: importsOf(tokens) };
}

/** The file that an import names, from the project's folder; undefined for packages. */
export function targetOf(from: SourceFile, { specifier }: SourceImport): string | undefined {
  return specifier.startsWith('.') ? relative(root, join(root, dirname(from.path), specifier)) : undefined;
}
