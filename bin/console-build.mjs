/**
 * How the console is built: into `dist/console/assets/`, which the daemon serves. `npm run dev` takes the same settings
 * for Vite's own server, with the calls passed on to a running daemon.
 */
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { convertCssVariables, DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from '@mantine/core';
import { build, createServer, runnerImport } from 'vite';
import { chunkGroups, pageFiles } from './console-chunks.mjs';
import { leavePackagesLean, packageAliases } from './console-packages.mjs';
import { publishConsole } from './console-publish.mjs';
import { leaveStylesLean, namedShades, shortClassName } from './console-styles.mjs';
import { root } from './stamp.mjs';

const folder = join(root, 'console');

/** Names that an index module passes on, and the file that each comes from. */
function exportsOf(index) {
  const found = new Map();
  const text = readFileSync(index, 'utf8');
  const files = new Map();
  // Some names come from another package.
  const fileOf = (from) => (from.startsWith('.') ? join(dirname(index), from) : from);
  for (const [, names, from] of text.matchAll(/import \{([^}]+)\} from "([^"]+)"/g)) {
    for (const name of names.split(',')) {
      const [original, local = original] = name.trim().split(' as ');
      files.set(local, { file: fileOf(from), original });
    }
  }
  for (const [, names, from] of text.matchAll(/export \{([^}]+)\}(?: from "([^"]+)")?;/g)) {
    for (const name of names.split(',')) {
      const [local, outside = local] = name.trim().split(' as ');
      const target = from ? { file: fileOf(from), original: local } : files.get(local);
      if (target) found.set(outside, target);
    }
  }
  return found;
}

const indexes = new Map();

function sourceOf(module, name) {
  if (module === '@tabler/icons-react') {
    return { file: join(root, `node_modules/@tabler/icons-react/dist/esm/icons/${name}.mjs`), original: 'default' };
  }
  if (!indexes.has(module)) indexes.set(module, exportsOf(join(root, `node_modules/${module}/esm/index.mjs`)));
  return indexes.get(module).get(name);
}

/**
 * Lets each import of the kit name the module that defines it. Through the packages' index files the bundler would put
 * every part that any page uses into the first chunk.
 */
const importFromDefiningModules = {
  name: 'import-from-defining-modules',
  apply: 'build',
  enforce: 'post',
  transform(code, id) {
    if (!/\.(?:tsx?|mjs|js)(?:$|\?)/.test(id)) return undefined;
    if (!/from "@mantine\/|from '@mantine\/|@tabler\/icons-react/.test(code)) return undefined;
    const rewritten = code.replaceAll(
      /import\s*\{([^}]+)\}\s*from\s*["'](@mantine\/[a-z]+|@tabler\/icons-react)["'];?/g,
      (statement, names, module) => {
        const kept = [];
        const own = [];
        for (const part of names.split(',')) {
          const name = part.trim();
          if (name === '') continue;
          const [outside, local = outside] = name.split(' as ').map((text) => text.trim());
          const source = sourceOf(module, outside);
          if (source) own.push(`import { ${source.original} as ${local} } from ${JSON.stringify(source.file)};`);
          else kept.push(name);
        }
        if (kept.length > 0) own.push(`import { ${kept.join(', ')} } from "${module}";`);
        return own.length > 0 ? own.join('') : statement;
      },
    );
    return rewritten === code ? undefined : { code: rewritten, map: null };
  },
};

/** What only the daemon and its reference page read of an endpoint. */
const unreadMembers = new Set([
  'description',
  'example',
  'errors',
  'notice',
  'rate',
  'scope',
  'bodyLimitBytes',
  'crossOrigin',
]);

/** Leaves out of each `endpoint({…})` what no browser needs; the sentences alone are most of the contract's weight. */
const leaveOutDescriptions = {
  name: 'leave-out-descriptions',
  apply: 'build',
  enforce: 'post',
  transform(code, id) {
    if (!/\/daemon\/contract\/[\w-]+\.ts$/.test(id) || !code.includes('endpoint({')) return undefined;
    const gaps = endpointMembers(this.parse(code)).filter(({ key }) => unreadMembers.has(key.name));
    let kept = '';
    let from = 0;
    for (const { start, end } of gaps) {
      kept += code.slice(from, start);
      from = code[end] === ',' ? end + 1 : end;
    }
    return gaps.length === 0 ? undefined : { code: kept + code.slice(from), map: null };
  },
};

/** Properties of every object handed to `endpoint`, in the order of the text. */
function endpointMembers(node) {
  if (typeof node !== 'object' || node === null) return [];
  const isEndpoint = node.type === 'CallExpression' && node.callee.name === 'endpoint';
  if (isEndpoint && node.arguments[0]?.type === 'ObjectExpression') {
    return node.arguments[0].properties.filter((property) => property.type === 'Property');
  }
  return Object.values(node).flatMap(endpointMembers);
}

/** `virtual:theme.css`: the kit's variables as a file, so that no style element is written at run time. */
const themeStyles = {
  name: 'theme-styles',
  resolveId: (id) => (id === 'virtual:theme.css' ? '\0theme.css' : undefined),
  async load(id) {
    if (id !== '\0theme.css') return undefined;
    const read = async (path) => {
      const { module, dependencies } = await runnerImport(join(folder, path));
      for (const each of dependencies) this.addWatchFile(join(root, each));
      return module;
    };
    const { theme: ownTheme } = await read('theme/theme.ts');
    const { variables } = await read('theme/variables.ts');
    // Colours that the theme does not name are worn by nothing (theme.ts says so to the compiler).
    const theme = { ...mergeMantineTheme(DEFAULT_THEME, ownTheme), colors: ownTheme.colors };
    const defaults = defaultCssVariablesResolver(theme);
    const own = variables(theme);
    const merged = {
      variables: { ...defaults.variables, ...own.variables },
      light: { ...defaults.light, ...own.light },
      dark: { ...defaults.dark, ...own.dark },
    };
    return convertCssVariables(namedShades(merged), ':root', '');
  },
};

/** The version that a page was built as: the console tells by it that the server has another one. */
const versionMark = {
  name: 'version-mark',
  apply: 'build',
  transformIndexHtml() {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    return [{ tag: 'meta', attrs: { name: 'console-version', content: version }, injectTo: 'head' }];
  },
};

const settings = {
  root: folder,
  configFile: false,
  logLevel: 'warn',
  publicDir: join(folder, 'public'),
  resolve: { alias: packageAliases },
  plugins: [
    leavePackagesLean,
    leaveStylesLean,
    themeStyles,
    importFromDefiningModules,
    leaveOutDescriptions,
    pageFiles,
    versionMark,
  ],
  css: { modules: { generateScopedName: shortClassName } },
  build: {
    emptyOutDir: true,
    // Which files a page consists of: the daemon announces the first ones, a test weighs them.
    manifest: '.manifest.json',
    sourcemap: false,
    target: 'es2022',
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      output: {
        codeSplitting: { groups: chunkGroups },
        // The first file lists all others: their names alone would be a kilobyte of it.
        chunkFileNames: 'assets/[hash:7].js',
        assetFileNames: 'assets/[hash:7][extname]',
      },
      treeshake: {
        moduleSideEffects: [
          // The contract only declares, so that endpoints nobody on a page calls need not be loaded with it.
          { test: /daemon.contract/, sideEffects: false },
          // Passed on by the parts of a page: its style sheets alone are no reason to load it with each of them.
          { test: /console.components.dialog[.]tsx$/, sideEffects: false },
        ],
      },
      onLog: (level, log, report) => {
        // Directives for servers that render React; this console is not rendered there.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log);
      },
    },
  },
};

/** Builds the console into a draft and then puts that in the place of the one before. */
export async function buildConsole() {
  // Packages have a slower form for development, taken unless this says otherwise.
  process.env.NODE_ENV = 'production';
  const target = join(root, 'dist/console/assets');
  const draft = join(root, `dist/console/draft.${process.pid}`);
  try {
    await build({ ...settings, build: { ...settings.build, outDir: draft } });
    await publishConsole(draft, target);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Serves the console's sources, rebuilt as they change; calls go to the daemon at the address. */
export async function serveConsole(daemon, port) {
  // The console has a folder named `api` as well.
  const proxy = { '^/(?:api|pg|v1)/(?!.*[.]tsx?(?:$|[?]))': { target: daemon } };
  const server = await createServer({
    ...settings,
    logLevel: 'info',
    cacheDir: join(root, `.cache/vite-${port}`),
    server: { port, strictPort: true, proxy },
  });
  await server.listen();
  server.printUrls();
}

if (process.argv[1]?.endsWith('console-build.mjs')) {
  const [daemon = 'http://127.0.0.1:3000', port = '5173'] = process.argv.slice(2);
  await serveConsole(daemon, Number(port));
}
