/**
 * Builds `dist/`: the command line with the daemon behind its dynamic import, the worker threads, the manual pages
 * (man-pages.ts), and the web console (console-build.mjs). Packages stay in `node_modules`, all but the console's. A
 * source keeps the address it would have in a mirrored tree: `import.meta.url` of `daemon/x/y.ts` is
 * `dist/daemon/x/y.js` in whatever file its code ends up, so workers are found beside it.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { buildConsole } from './console-build.mjs';
import { root, sourceStamp } from './stamp.mjs';

const workers = [
  'daemon/gateway/large-bodies-worker.ts',
  'daemon/gateway/pattern-thread-worker.ts',
  'daemon/relay/tokens/worker.ts',
];

const marker = '__TOLLGATE_SOURCE_URL__';

const keepSourceAddresses = {
  name: 'keep-source-addresses',
  setup(plugin) {
    plugin.onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
      const source = relative(root, path);
      if (source.startsWith('..') || source.includes('node_modules')) return undefined;
      const mirrored = source.replaceAll('\\', '/').replace(/\.tsx?$/, '.js');
      const contents = readFileSync(path, 'utf8').replaceAll('import.meta.url', `${marker}("${mirrored}")`);
      return { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' };
    });
  },
};

/** Puts the address of each source, as seen from the file that now holds its code, where the marker stands. */
function placeSourceAddresses(text, folder) {
  return text.replaceAll(new RegExp(`${marker}\\("([^"]+)"\\)`, 'g'), (_, source) => {
    const from = relative(folder, source).replaceAll('\\', '/');
    return `new URL("${from.startsWith('.') ? from : `./${from}`}", import.meta.url).href`;
  });
}

const began = performance.now();
const stamp = sourceStamp();
const consoleBuild = buildConsole().catch((error) => {
  process.stderr.write(`tollgate: the console could not be built: ${error.message}\n`);
  process.exit(1);
});
const result = await build({
  absWorkingDir: root,
  entryPoints: ['bin/tollgate.ts', 'bin/man-pages.ts', ...workers].filter((path) => existsSync(join(root, path))),
  outdir: 'dist',
  outbase: '.',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // Otherwise such patterns become `new RegExp(…)`, compiled anew wherever they stand.
  supported: { 'regexp-unicode-property-escapes': true },
  packages: 'external',
  jsx: 'automatic',
  sourcemap: 'linked',
  sourcesContent: false,
  write: false,
  logLevel: 'warning',
  plugins: [keepSourceAddresses],
}).catch(() => undefined);
// The reasons are already on the screen.
if (!result) process.exit(1);

// Chunks carry their content's hash and come first; entries that name them follow and replace the old ones in one step.
// A process of the old build finds its own chunks for a day.
const outdir = join(root, 'dist');
const keptMs = 24 * 3600 * 1000;
const files = result.outputFiles
  .map((file) => ({ place: relative(outdir, file.path), file }))
  .sort((a, b) => Number(b.place.startsWith('chunks')) - Number(a.place.startsWith('chunks')));
for (const { place, file } of files) {
  put(place, place.endsWith('.js') ? placeSourceAddresses(file.text, dirname(place)) : file.contents);
}
removeOldChunks(new Set(files.map(({ place }) => place)));
const { manualPages } = await import(pathToFileURL(join(outdir, 'bin', 'man-pages.js')).href);
for (const [place, text] of await manualPages()) put(join('man', place), text);
await consoleBuild;
put('.stamp', stamp);
process.stderr.write(`tollgate: built dist/ in ${Math.round(performance.now() - began)} ms\n`);

/** Writes a file of `dist/` whole or not at all. */
function put(place, contents) {
  const target = join(outdir, place);
  const draft = `${target}.${process.pid}`;
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(draft, contents, { mode: place === join('bin', 'tollgate.js') ? 0o755 : 0o644 });
  renameSync(draft, target);
}

function removeOldChunks(current) {
  for (const name of readdirSync(join(outdir, 'chunks'))) {
    const path = join(outdir, 'chunks', name);
    if (!current.has(join('chunks', name)) && Date.now() - statSync(path).mtimeMs > keptMs)
      rmSync(path, { force: true });
  }
}
