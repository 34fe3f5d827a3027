/** Who may import whom: section 3 of ARCHITECTURE.md as data. */
import { type SourceFile, targetOf } from './source-files.ts';
import type { SourceImport } from './source-tokens.ts';

interface Room {
  /** Folders (with a slash at the end) and files that the room may import besides itself. */
  readonly from: readonly string[];
  /** Packages it may import; Node's own modules are free unless `node` says otherwise. */
  readonly packages: readonly string[];
  /** Node's modules, where not all are allowed. */
  readonly node?: readonly string[];
  /** Allowed for types alone. */
  readonly types?: readonly string[];
}

const errors = 'daemon/errors.ts';

/** By the folder or file that begins a path; the longest match counts. */
const rooms: Readonly<Record<string, Room>> = {
  'daemon/contract/': { from: [], packages: ['zod'], node: [] },
  'daemon/errors.ts': { from: ['daemon/contract/'], packages: [], node: [] },
  // Failures of the data folder carry codes, as everywhere.
  'daemon/config/': { from: ['daemon/contract/', errors], packages: ['yaml'] },
  'daemon/telemetry/': { from: ['daemon/contract/'], packages: ['pino', 'prom-client'] },
  // Pure: no network, clock or randomness. Bytes, digests, checksums and deep comparison are no effects.
  'daemon/relay/': {
    from: [errors],
    packages: ['gpt-tokenizer', 're2js'],
    node: ['buffer', 'string_decoder', 'crypto', 'util', 'zlib'],
  },
  // Counting long texts leaves the event loop for a worker thread, which is no effect either.
  'daemon/relay/tokens/': {
    from: ['daemon/relay/', errors],
    packages: ['gpt-tokenizer'],
    node: ['buffer', 'worker_threads', 'url'],
  },
  // So does painting: the image library has threads of its own.
  'daemon/relay/pictures/': { from: ['daemon/relay/', errors], packages: ['sharp'], node: ['buffer'] },
  // How such a thread is started and asked.
  'daemon/relay/threads/': { from: [], packages: [], node: ['worker_threads', 'url'] },
  'daemon/upstream/': {
    from: [errors, 'daemon/telemetry/'],
    types: ['daemon/relay/'],
    packages: ['undici', 'ws', 'ipaddr.js', 'aws4fetch', 'jose'],
  },
  'daemon/integrations/': {
    from: ['daemon/domain/', 'daemon/upstream/address-guard.ts', errors, 'daemon/telemetry/'],
    packages: ['undici', 'nodemailer', 'jose'],
  },
  'daemon/store/': { from: [errors], types: ['daemon/contract/'], packages: ['knex', 'mysql2', 'pg', 'sqlite3'] },
  'daemon/cluster/': { from: ['daemon/store/revisions.ts', errors], packages: ['ioredis'] },
  'daemon/snapshots/': { from: ['daemon/store/', 'daemon/cluster/', 'daemon/contract/', errors], packages: [] },
  'daemon/domain/': {
    from: [
      'daemon/store/',
      'daemon/cluster/',
      'daemon/snapshots/',
      'daemon/contract/',
      errors,
      'daemon/relay/canonical/',
      'daemon/relay/channel-rules.ts',
    ],
    packages: ['@node-rs/argon2', '@node-rs/bcrypt', 're2js', 'ipaddr.js', 'otpauth', '@simplewebauthn/server'],
  },
  'daemon/gateway/': {
    from: [
      'daemon/relay/',
      'daemon/upstream/',
      'daemon/domain/',
      'daemon/snapshots/',
      'daemon/cluster/',
      'daemon/contract/',
      errors,
      'daemon/telemetry/',
    ],
    packages: ['@fastify/busboy'],
  },
  // Whole databases in and out of files: no rules but that a copy is the same.
  'daemon/archive/': {
    from: ['daemon/store/', 'daemon/config/', 'daemon/contract/', errors],
    packages: ['age-encryption'],
  },
  'daemon/http/': {
    from: [
      'daemon/contract/',
      'daemon/domain/',
      'daemon/gateway/',
      'daemon/relay/formats/index.ts',
      'daemon/relay/framing/piece-list.ts',
      'daemon/config/',
      errors,
      'daemon/telemetry/',
    ],
    types: ['daemon/store/', 'daemon/relay/', 'daemon/cluster/'],
    packages: ['koa', '@koa/router', 'ipaddr.js', 'zod', 'csv-stringify', 'csv-parse', 'ws'],
  },
  'daemon/jobs/': { from: ['daemon/domain/', 'daemon/gateway/', 'daemon/cluster/', 'daemon/telemetry/'], packages: [] },
  // The composition root: `main.ts` and the files it was cut into.
  'daemon/main.ts': { from: ['daemon/', 'migrations/index.ts'], packages: [] },
  'daemon/maintenance.ts': { from: ['daemon/', 'migrations/index.ts'], packages: [] },
  'daemon/transfer.ts': { from: ['daemon/', 'migrations/index.ts'], packages: [] },
  'daemon/rescue.ts': { from: ['daemon/', 'migrations/index.ts'], packages: [] },
  'daemon/gateway-import.ts': { from: ['daemon/', 'migrations/index.ts'], packages: [] },
  'daemon/package-version.ts': { from: [], packages: [] },
  'daemon/local-checks.ts': { from: ['daemon/', 'migrations/index.ts'], packages: [] },
  'daemon/composition/': { from: ['daemon/', 'migrations/index.ts'], packages: [] },
  'console/': { from: ['daemon/contract/', 'daemon/domain/decimal.ts'], packages: ['*'], node: [] },
  'cli/': { from: ['daemon/contract/'], packages: ['*'] },
  'bin/': { from: ['cli/'], packages: ['esbuild', 'marked', 'marked-man', 'vite', '@mantine/core'] },
  'migrations/': { from: [], packages: ['knex'], node: ['url'] },
  'test/': { from: ['bin/', 'cli/', 'console/', 'daemon/', 'migrations/'], packages: ['*'] },
};

/** `bin` may load these, and only lazily: the command line starts without the daemon. */
const lazyDoors = [
  'daemon/main.ts',
  'daemon/maintenance.ts',
  'daemon/local-checks.ts',
  'daemon/transfer.ts',
  'daemon/rescue.ts',
  'daemon/gateway-import.ts',
];

/** Every import that the table does not allow, as `file:line: reason`. */
export function brokenImports(sources: readonly SourceFile[]): string[] {
  return sources.flatMap((file) =>
    file.imports.flatMap((found) => {
      const reason = reasonAgainst(file, found);
      return reason === undefined ? [] : [`${file.path}:${found.line}: ${reason}`];
    }),
  );
}

function roomOf(path: string): { readonly name: string; readonly room: Room } | undefined {
  let best: string | undefined;
  for (const name of Object.keys(rooms)) {
    const holds = name.endsWith('/') ? path.startsWith(name) : path === name;
    if (holds && name.length > (best?.length ?? 0)) best = name;
  }
  const room = best === undefined ? undefined : rooms[best];
  return best === undefined || room === undefined ? undefined : { name: best, room };
}

function reasonAgainst(file: SourceFile, found: SourceImport): string | undefined {
  const own = roomOf(file.path);
  if (!own) return 'the file lies in no room of the house';
  const target = targetOf(file, found);
  if (target === undefined) return reasonAgainstPackage(own.name, own.room, found.specifier);
  if (!/\.(?:tsx?|mjs|json|css)$/.test(target)) return `"${found.specifier}" does not name the real file`;
  if (target.startsWith('..')) return `"${found.specifier}" leaves the project`;
  if (file.path.startsWith('bin/') && found.how === 'dynamic' && lazyDoors.includes(target)) return undefined;
  if (isBelow(target, own.name)) return undefined;
  if (own.room.from.some((allowed) => isBelow(target, allowed))) return undefined;
  if (found.how === 'type' && own.room.types?.some((allowed) => isBelow(target, allowed))) return undefined;
  return `${own.name} must not import ${target}`;
}

function isBelow(path: string, place: string): boolean {
  return place.endsWith('/') ? path.startsWith(place) : path === place;
}

function reasonAgainstPackage(name: string, room: Room, specifier: string): string | undefined {
  if (specifier.startsWith('node:')) {
    const module = specifier.slice(5).split('/')[0] ?? '';
    return room.node === undefined || room.node.includes(module) ? undefined : `${name} must not import ${specifier}`;
  }
  if (name === 'daemon/contract/' && specifier === 'zod')
    return 'the contract imports zod/mini, which a browser can afford';
  const parts = specifier.split('/');
  const pack = specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? '');
  return room.packages.includes('*') || room.packages.includes(pack)
    ? undefined
    : `${name} must not import ${specifier}`;
}

/** Every cycle once, as the files on it. Types count: two files that need each other's types are one file. */
export function findCycles(sources: readonly SourceFile[]): string[][] {
  const edges = new Map(
    sources.map((file) => {
      const targets = file.imports.filter(({ how }) => how !== 'dynamic').flatMap((each) => targetOf(file, each) ?? []);
      return [file.path, targets];
    }),
  );
  const cycles: string[][] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const seen = trail.indexOf(path);
    if (seen >= 0) cycles.push([...trail.slice(seen), path]);
    if (seen >= 0 || done.has(path)) return;
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) visit(path, []);
  return cycles;
}
