/** The console's sources as text, and its table of pages, for tests that look at all of them. */
import { readdirSync, readFileSync } from 'node:fs';

export interface ConsoleSource {
  /** From `console/` on. */
  readonly path: string;
  /** Without comments. */
  readonly code: string;
}

export interface ConsolePage {
  readonly path: string;
  /** Module under `console/pages/`. */
  readonly module: string;
  readonly access: string;
  readonly title: string;
}

const root = new URL('../../', import.meta.url);

/** Every file of `console/` with one of these endings. */
export function consoleSources(endings: readonly string[]): ConsoleSource[] {
  return readdirSync(new URL('console/', root), { recursive: true, encoding: 'utf8' })
    .filter((name) => endings.some((ending) => name.endsWith(ending)))
    .map((name) => `console/${name.replaceAll('\\', '/')}`)
    .sort()
    .map((path) => ({ path, code: withoutComments(readFileSync(new URL(path, root), 'utf8')) }));
}

/** Lines keep their numbers. */
function withoutComments(text: string): string {
  return text
    .replace(/(?<=^|[\s{(])\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
    .replace(/(?<=^|\s)\/\/.*$/gm, '');
}

/** The table of `pages.tsx`, read as text: it asks Vite for its modules, which no other program can answer. */
export function consolePages(): ConsolePage[] {
  const text = readFileSync(new URL('console/pages.tsx', root), 'utf8');
  const entries = [...text.matchAll(/\{\s*path: '[^{}]*\}/g)].map(([entry]) => {
    const member = (name: string) => new RegExp(`\\b${name}: '([^']*)'`).exec(entry)?.[1] ?? '';
    return { path: member('path'), module: member('module'), access: member('access'), title: member('title') };
  });
  if (entries.length < 30) throw new Error(`only ${entries.length} pages could be read from console/pages.tsx`);
  return entries;
}
