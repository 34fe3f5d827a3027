/**
 * Which test files run, and where. A file that can reach `servers.ts` asks for the database of its pass, so it runs in
 * both: SQLite without Redis, PostgreSQL with Redis. Every other file cannot tell the passes apart and runs once; so do
 * the tests of the command line and of the console, which see a server's answers and never its engine, and files whose
 * first comment says `Runs once:` and why.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importsOf, tokensOf } from './source-tokens.ts';

export interface TestPlan {
  /** Paths from the project's folder. */
  readonly once: readonly string[];
  readonly perEngine: readonly string[];
  /** True when some file needs a PostgreSQL or Redis server. */
  readonly servers: boolean;
  /** True when some file opens the console in a browser. */
  readonly browser: boolean;
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const perPass = 'test/support/servers.ts';
const inBrowser = 'test/browser/';
const besideEngines = ['test/cli/', inBrowser];
const saysOnce = /^\/\*\*(?:(?!\*\/)[\s\S])*\bRuns once: /;
const bothEngines = 'test/support/engines.ts';

function testFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'fixtures' ? [] : testFiles(path);
    return /\.test\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

/** Most of these take milliseconds: they come last, so that all lanes end at about the same time. */
function isShort(file: string): boolean {
  return file.startsWith('test/daemon/');
}

/** Every file below `test/` that a file loads, itself included. */
class Reach {
  readonly #known = new Map<string, ReadonlySet<string>>();

  of(file: string): ReadonlySet<string> {
    const known = this.#known.get(file);
    if (known) return known;
    const reached = new Set([file]);
    // A cycle sees the unfinished set; only its members could miss something, and the house has no cycles.
    this.#known.set(file, reached);
    for (const next of this.#imports(file)) for (const path of this.of(next)) reached.add(path);
    return reached;
  }

  #imports(file: string): string[] {
    return importsOf(tokensOf(readFileSync(join(root, file), 'utf8')))
      .filter(({ specifier, how }) => how !== 'type' && specifier.startsWith('.'))
      .map(({ specifier }) => relative(root, join(root, dirname(file), specifier)))
      .filter((path) => path.startsWith('test/') && /\.tsx?$/.test(path) && existsSync(join(root, path)));
  }
}

/** Plans a run of the files whose path contains one of the filters; of all files when there is none. */
export function planTests(filters: readonly string[]): TestPlan {
  const wanted = filters.map((filter) => (filter.startsWith('./') ? filter.slice(2) : filter));
  const files = testFiles('test')
    .filter((path) => wanted.length === 0 || wanted.some((filter) => path.includes(filter)))
    .sort((a, b) => Number(isShort(a)) - Number(isShort(b)) || (a < b ? -1 : 1));
  const reach = new Reach();
  const isBeside = (file: string) =>
    besideEngines.some((folder) => file.startsWith(folder)) || saysOnce.test(readFileSync(join(root, file), 'utf8'));
  const isPerEngine = (file: string) => reach.of(file).has(perPass) && !isBeside(file);
  const perEngine = files.filter(isPerEngine);
  const once = files.filter((file) => !isPerEngine(file));
  return {
    once,
    perEngine,
    servers: perEngine.length > 0 || once.some((file) => reach.of(file).has(bothEngines)),
    browser: once.some((file) => file.startsWith(inBrowser)),
  };
}
