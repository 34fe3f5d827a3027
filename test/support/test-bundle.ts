/**
 * Test files as the runner loads them: bundled once for all its processes, what several of them share in chunks. Read
 * source by source, they cost each process a core for ten seconds, and for longer where nothing was compiled before.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { ownPrograms } from './own-program.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Inside the project, whose packages are looked for from there. */
const bundles = join(root, '.cache/tests/');
const pass = 'test/support/run-pass.ts';
const uvuWithHookErrors = join(root, 'test/support/uvu-with-hook-errors.ts');
/** Threads and who starts them, beside whom they are looked for. */
const workers = [
  'daemon/gateway/large-bodies-worker.ts',
  'daemon/gateway/pattern-thread-worker.ts',
  'daemon/relay/tokens/worker.ts',
];
const startsWorkers = /\bbeside: import\.meta\.url\b/;

export interface TestBundle {
  readonly folder: string;
  /** Path of `run-pass.ts`, which must come from the same bundle as what it runs. */
  readonly pass: string;
  /** Address of what became of a test file. */
  moduleOf(file: string): string;
  remove(): void;
}

/** Bundles test files, which are named by their paths from the project's folder, and what they start beside them. */
export async function bundleTests(
  files: readonly string[],
  started: readonly string[] = [...workers, ...ownPrograms],
): Promise<TestBundle> {
  removeLeftOvers();
  const folder = join(bundles, `${process.pid}-${Math.random().toString(36).slice(2)}`);
  const builtOf = (file: string) => join(folder, resolve(root, file).replace(/\.m?[jt]sx?$/, '.js'));
  await build({
    absWorkingDir: root,
    entryPoints: [...files, ...started, pass].map((file) => resolve(root, file)),
    outdir: folder,
    outbase: '/',
    chunkNames: 'chunks/[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    // Otherwise such patterns become `new RegExp(…)`, compiled anew wherever they stand.
    supported: { 'regexp-unicode-property-escapes': true },
    packages: 'external',
    jsx: 'automatic',
    keepNames: true,
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
    plugins: [uvuThatTellsOfHooks, sourceAddresses(builtOf)],
  });
  return {
    folder,
    pass: builtOf(pass),
    moduleOf: (file) => pathToFileURL(builtOf(file)).href,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Tests that import `uvu` get `uvu-with-hook-errors.ts` around it. */
const uvuThatTellsOfHooks: Plugin = {
  name: 'uvu-that-tells-of-hooks',
  setup({ onResolve }) {
    onResolve({ filter: /^uvu$/ }, ({ importer }) =>
      importer === uvuWithHookErrors ? { path: 'uvu', external: true } : { path: uvuWithHookErrors },
    );
  },
};

/** A source keeps its own address, beside which it finds files; only threads come from the bundle as it does. */
function sourceAddresses(builtOf: (file: string) => string): Plugin {
  return {
    name: 'source-addresses',
    setup({ onLoad }) {
      onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
        const source = readFileSync(path, 'utf8');
        const place = startsWorkers.test(source) ? builtOf(path) : path;
        const contents = source.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(place).href));
        return { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' };
      });
    },
  };
}

/** Removes bundles of runs that were ended before they could do it. */
function removeLeftOvers(): void {
  mkdirSync(bundles, { recursive: true });
  for (const name of readdirSync(bundles)) {
    if (!isRunning(Number(name.split('-')[0]))) rmSync(join(bundles, name), { recursive: true, force: true });
  }
}

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}
