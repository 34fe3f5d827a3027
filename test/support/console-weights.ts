/** What the pages of the built console weigh: gzip -9, 1 KB = 1000 bytes, by the bundler's own account of its files. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Chunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly isDynamicEntry?: boolean;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
  readonly css?: readonly string[];
}

/** A page and the files of its texts, as the build lists them for the daemon. */
interface PageFiles {
  readonly module: string;
  readonly texts: Readonly<Record<'zh' | 'en', readonly string[]>>;
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

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, 'dist/console/assets');
const entry = 'index.html';

export class BuiltConsole {
  readonly #chunks: Readonly<Record<string, Chunk>>;
  readonly #pages: readonly PageFiles[];

  constructor() {
    this.#chunks = readAccount('.manifest.json');
    this.#pages = readAccount('.pages.json');
  }

  /**
   * A cold visit: frame, page, and the texts of one language.
   * @param module as `pages.tsx` names it
   * @param frame what of it is loaded: what is drawn at once, or also its menus and notices, which follow in an idle moment
   */
  page(module: string, frame: 'at once' | 'whole'): Weight {
    const parts = frame === 'whole' ? this.#shellParts() : [];
    return weigh(this.#whole(module, parts));
  }

  /** False for a page of the table that has no code. */
  has(module: string): boolean {
    return this.#chunks[`pages/${module}.tsx`] !== undefined;
  }

  /** What a page adds for whoever has seen another one that needs the same parts. */
  added(module: string, seen: string): Weight {
    return weigh(without(this.#whole(module, []), this.#whole(seen, this.#shellParts())));
  }

  lazyParts(): LazyPart[] {
    return Object.entries(this.#chunks).flatMap(([from, { dynamicImports = [] }]) =>
      dynamicImports
        .filter((name) => !name.startsWith('pages/') || !/-page\.tsx$/.test(name))
        .filter((name) => !name.startsWith('i18n/'))
        .map((name) => ({ name, from, weight: weigh(without(this.#files([name]), this.#there(from))) })),
    );
  }

  /** What is loaded where a part is open: the part, and what all that can open it have in common, back to the page. */
  #there(part: string, seen: readonly string[] = []): Set<string> {
    const own = this.#files([entry, ...this.#shellParts(), part]);
    const openers = Object.entries(this.#chunks)
      .filter(([name, { dynamicImports = [] }]) => name !== entry && dynamicImports.includes(part))
      .filter(([name]) => !seen.includes(name));
    const before = openers.map(([name]) => this.#there(name, [...seen, part]));
    const shared = [...(before[0] ?? [])].filter((file) => before.every((files) => files.has(file)));
    return new Set([...own, ...shared]);
  }

  allStyles(): number {
    return weigh(new Set(Object.values(this.#chunks).flatMap(({ file, css = [] }) => [file, ...css]))).css;
  }

  /** Code that is loaded with the page, or with any page where none is named. */
  codeOf(module?: string): string {
    const files = this.#files([entry, ...(module === undefined ? [] : [`pages/${module}.tsx`])]);
    return [...files].map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
  }

  /** The frame's own lazy parts, which every visit loads in the end; not what waits for a press, a notice or a date. */
  #shellParts(): string[] {
    const known = Object.keys(this.#chunks);
    return known.filter((name) => /^shell\/(?:account-menu|language-menu|notice-panel)|\/toast-board/.test(name));
  }

  /** Texts of the frame and of a page, in the heavier language. */
  #texts(module: string): Set<string> {
    const page = this.#pages.find((each) => each.module === module);
    const inLanguage = (language: 'zh' | 'en') =>
      new Set([...this.#files([`i18n/catalogues/${language}/frame.ts`]), ...(page?.texts[language] ?? [])]);
    const [zh, en] = [inLanguage('zh'), inLanguage('en')];
    return weigh(zh).js > weigh(en).js ? zh : en;
  }

  /** Everything that a visit of a page loads, with these parts of the frame. */
  #whole(module: string, parts: readonly string[]): Set<string> {
    return new Set([...this.#files([entry, `pages/${module}.tsx`, ...parts]), ...this.#texts(module)]);
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

/** The bundler's own account of its files, and the build's of its pages. */
function readAccount<Shape>(name: string): Shape {
  return JSON.parse(readFileSync(join(folder, name), 'utf8'));
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
