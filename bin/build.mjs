/**
 * Builds `dist/`: the command line with the daemon behind its dynamic import, and the worker threads. Packages stay in
 * `node_modules`. A source keeps the address it would have in a mirrored tree: `import.meta.url` of
 * `daemon/x/y.ts` is `dist/daemon/x/y.js` in whatever file its code ends up, so workers and data are found beside it.
 */
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import { root, sourceStamp } from './stamp.mjs';

const workers = ['daemon/relay/tokens/worker.ts'];

/** Read at run time, copied to the same place; absent until the part that reads them exists. */
const data = ['daemon/http/assets', 'console/assets'];

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
const result = await build({
  absWorkingDir: root,
  entryPoints: ['bin/tollgate.ts', ...workers].filter((path) => existsSync(join(root, path))),
  outdir: 'dist',
  outbase: '.',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
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

// Built aside and swapped in whole: a build that is cut short leaves the old one standing.
const next = join(root, `dist.next-${process.pid}`);
const old = join(root, `dist.old-${process.pid}`);
try {
  for (const file of result.outputFiles) {
    const place = relative(join(root, 'dist'), file.path);
    const target = join(next, place);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, place.endsWith('.js') ? placeSourceAddresses(file.text, dirname(place)) : file.contents);
  }
  for (const path of data) {
    if (existsSync(join(root, path))) cpSync(join(root, path), join(next, path), { recursive: true });
  }
  chmodSync(join(next, 'bin/tollgate.js'), 0o755);
  writeFileSync(join(next, '.stamp'), stamp);
  if (existsSync(join(root, 'dist'))) renameSync(join(root, 'dist'), old);
  renameSync(next, join(root, 'dist'));
} finally {
  rmSync(next, { recursive: true, force: true });
  rmSync(old, { recursive: true, force: true });
}
process.stderr.write(`tollgate: built dist/ in ${Math.round(performance.now() - began)} ms\n`);
