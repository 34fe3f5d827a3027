/** What the pages of the built console weigh: gzip -9, 1 KB = 1000 bytes, by the bundler's own account of its files. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { cataloguesOf } from './console-texts.ts';
import { importsOf, tokensOf } from './source-tokens.ts';

interface Chunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly isDynamicEntry?: boolean;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
  readonly css?: readonly string[];
}

export interface Weight {
  readonly js: number;
  readonly css: number;
}

/** A part that is loaded when it is first needed. */
export interface LazyPart {
  /** Source of the part, and of the page or part that loads it. */
  readonly name: string;
  readonly from: string;
  /** What comes on top of what is there by then. */
  readonly weight: Weight;
}

const root = new URL('../../', import.meta.url).pathname;
const folder = join(root, 'dist/console/assets');
const entry = 'index.html';

export class BuiltConsole {
  readonly #chunks: Readonly<Record<string, Chunk>>;
  readonly #namespaces: readonly string[];

  private constructor(chunks: Readonly<Record<string, Chunk>>, namespaces: readonly string[]) {
    this.#chunks = chunks;
    this.#namespaces = namespaces;
  }

  static async open(): Promise<BuiltConsole> {
    const chunks: Record<string, Chunk> = JSON.parse(readFileSync(join(folder, '.manifest.json'), 'utf8'));
    return new BuiltConsole(chunks, [...(await cataloguesOf('zh')).keys()]);
  }

  /**
   * A cold visit: frame, page, and the texts of one language.
   * @param module as `pages.tsx` names it
   * @param frame what of it is loaded: what is drawn at once, or also its menus and notices, which follow in an idle moment
   */
  page(module: string, frame: 'at once' | 'whole'): Weight {
    const source = `pages/${module}.tsx`;
    const parts = frame === 'whole' ? this.#shellParts() : [];
    return weigh(this.#files([entry, source, ...parts, ...this.#catalogues(source)]));
  }

  /** False for a page of the table that has no code. */
  has(module: string): boolean {
    return this.#chunks[`pages/${module}.tsx`] !== undefined;
  }

  /** What a page adds for whoever has seen another one that needs the same parts. */
  added(module: string, seen: string): Weight {
    const there = this.#files([
      entry,
      ...this.#shellParts(),
      `pages/${seen}.tsx`,
      ...this.#catalogues(`pages/${seen}.tsx`),
    ]);
    const source = `pages/${module}.tsx`;
    return weigh(without(this.#files([source, ...this.#catalogues(source)]), there));
  }

  lazyParts(): LazyPart[] {
    return Object.entries(this.#chunks).flatMap(([from, { dynamicImports = [] }]) =>
      dynamicImports
        .filter((name) => !name.startsWith('pages/') || !/-page\.tsx$/.test(name))
        .filter((name) => !name.startsWith('i18n/'))
        .map((name) => {
          const there = this.#files([entry, ...this.#shellParts(), from]);
          return { name, from, weight: weigh(without(this.#files([name]), there)) };
        }),
    );
  }

  allStyles(): number {
    return weigh(new Set(Object.values(this.#chunks).flatMap(({ file, css = [] }) => [file, ...css]))).css;
  }

  /** Code that is loaded with the page, or with any page where none is named. */
  codeOf(module?: string): string {
    const files = this.#files([entry, ...(module === undefined ? [] : [`pages/${module}.tsx`])]);
    return [...files].map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
  }

  /** The frame's own lazy parts, which every visit loads in the end; not what waits for a key or a date. */
  #shellParts(): string[] {
    const known = Object.keys(this.#chunks).filter((name) => name.startsWith('shell/') || /toast-board/.test(name));
    return known.filter((name) => !/palette|celebrat|confetti|fireworks|sparkler|shortcut|new-year/.test(name));
  }

  /** The heavier language of what the page's sources name. */
  #catalogues(page: string): string[] {
    const named = new Set(['frame']);
    for (const path of sourcesBelow(`console/${page}`)) {
      const code = readFileSync(join(root, path), 'utf8');
      for (const namespace of this.#namespaces) {
        const asks = new RegExp(`useTranslation\\([^)]*'${namespace}'|['"\`]${namespace}:\\w`);
        if (asks.test(code)) named.add(namespace);
      }
    }
    const inLanguage = (language: string) =>
      [...named].map((namespace) => `i18n/catalogues/${language}/${namespace}.ts`).filter((name) => this.#chunks[name]);
    const [zh, en] = [inLanguage('zh'), inLanguage('en')];
    return weigh(this.#files(zh)).js > weigh(this.#files(en)).js ? zh : en;
  }

  /** Files of these sources and of all they import. */
  #files(names: readonly string[]): Set<string> {
    const files = new Set<string>();
    const seen = new Set<string>();
    const visit = (name: string): void => {
      const chunk = this.#chunks[name];
      if (!chunk || seen.has(name)) return;
      seen.add(name);
      for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file);
      for (const next of chunk.imports ?? []) visit(next);
    };
    for (const name of names) visit(name);
    return files;
  }
}

function without(files: ReadonlySet<string>, there: ReadonlySet<string>): Set<string> {
  return new Set([...files].filter((file) => !there.has(file)));
}

function weigh(files: Iterable<string>): Weight {
  const weight = { js: 0, css: 0 };
  for (const file of files) {
    const path = join(folder, file);
    const size = statSync(existsSync(`${path}.gz`) ? `${path}.gz` : path).size;
    if (file.endsWith('.js')) weight.js += size;
    if (file.endsWith('.css')) weight.css += size;
  }
  return weight;
}

/** A source of the console and every other that it loads with it. */
function sourcesBelow(source: string): Set<string> {
  const found = new Set<string>();
  const visit = (path: string): void => {
    if (found.has(path) || !path.startsWith('console/') || !/\.tsx?$/.test(path) || !existsSync(join(root, path)))
      return;
    found.add(path);
    for (const { specifier, how } of importsOf(tokensOf(readFileSync(join(root, path), 'utf8')))) {
      if (how === 'static' && specifier.startsWith('.')) visit(relative(root, join(root, dirname(path), specifier)));
    }
  };
  visit(source);
  return found;
}
