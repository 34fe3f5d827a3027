/** Reads `config.yaml`, the environment and the flags of the command line into one frozen {@link Config}. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ConfigProblem, readConfigFile } from './config-file.ts';
import { strangeNames } from './environment-names.ts';
import { isKey, type PlacedKey, placedKeys } from './key-table.ts';
import { type Config, configKeys, embeddedDatabaseFile } from './schema.ts';

export type { ConfigProblem } from './config-file.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ConfigInput {
  /** Path of the YAML file; without it `TOLLGATE_CONFIG`, else `config.yaml` in the working folder if there is one. */
  readonly file?: string | undefined;
  readonly env: Environment;
  /** Values by path that win over everything: flags of the command line, needs of a test. */
  readonly overrides?: Readonly<Record<string, unknown>>;
}

/** One key as it stands. */
export interface ConfigEntry {
  readonly path: string;
  /** Secrets and passwords masked. */
  readonly value: string;
  /** `default`, `flag`, the name of the environment variable, or the path of the file. */
  readonly source: string;
  readonly environment: string;
}

export interface ConfigReading {
  /** Undefined when there are problems. */
  readonly config: Config | undefined;
  readonly problems: readonly ConfigProblem[];
  /** What is set and changes nothing, with the reason. */
  readonly idle: readonly ConfigProblem[];
  /** Variables with the program's prefix that nothing reads. */
  readonly unknown: readonly ConfigProblem[];
  readonly entries: readonly ConfigEntry[];
}

/** The configuration cannot be used; holds every reason, not only the first. */
export class ConfigError extends Error {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(`the configuration is not valid:\n${problems.map((problem) => `  ${problemText(problem)}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** A problem as it is told: key, what is wrong, and the variable that sets the key. */
export function problemText({ path, message, environment }: ConfigProblem): string {
  return `${path}: ${message}${environment === undefined ? '' : ` (${environment})`}`;
}

/** Reads the configuration. Throws {@link ConfigError} with everything that is wrong with it. */
export function loadConfig(input: ConfigInput): Config {
  const reading = readConfig(input);
  if (reading.config === undefined) throw new ConfigError(reading.problems);
  return reading.config;
}

/** Reads the configuration and reports on it, for `config check` and `config print`; never throws. */
export function readConfig(input: ConfigInput): ConfigReading {
  const problems: ConfigProblem[] = [];
  const path = input.file ?? (input.env.TOLLGATE_CONFIG || (existsSync('config.yaml') ? 'config.yaml' : undefined));
  const file = path === undefined ? new Map<string, unknown>() : readFile(path, problems);
  const chosen = placedKeys().map((placed) => choose(placed, { input, file, path: path ?? '' }));
  const values = new Map<string, unknown>();
  for (const { placed, value, problem } of chosen) {
    if (problem) problems.push(problem);
    values.set(placed.path, value);
  }
  const inDataFolder = chosen.some(({ placed, source }) => placed.path === 'database.url' && source === 'default');
  if (inDataFolder) values.set('database.url', `sqlite:${join(String(values.get('data_dir')), embeddedDatabaseFile)}`);
  const { misspelt, unknown } = strangeNames(input.env);
  problems.push(...unknownOverrides(input.overrides ?? {}), ...misspelt);
  const config = build(configKeys, '', values);
  if (isConfig(config)) problems.push(...contradictions(config));
  return {
    config: problems.length === 0 && isConfig(config) ? config : undefined,
    problems,
    idle: chosen.flatMap(idleOf),
    unknown,
    entries: chosen.map(({ placed: { path: key, key: form }, source }) => ({
      path: key,
      value: form.print(values.get(key)),
      source,
      environment: form.environment[0],
    })),
  };
}

function readFile(path: string, problems: ConfigProblem[]): Map<string, unknown> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    problems.push({ path, message: `cannot be read: ${reason}`, environment: 'TOLLGATE_CONFIG' });
    return new Map();
  }
  const read = readConfigFile(text, path);
  problems.push(...read.problems);
  return read.values;
}

interface Chosen {
  readonly placed: PlacedKey;
  readonly value: unknown;
  readonly source: string;
  readonly problem?: ConfigProblem;
}

/** The value of a key from the strongest source that names it: flag, environment, file, default. */
function choose(
  placed: PlacedKey,
  from: { readonly input: ConfigInput; readonly file: ReadonlyMap<string, unknown>; readonly path: string },
): Chosen {
  const { key, path } = placed;
  const { overrides = {}, env } = from.input;
  const name = key.environment.find((candidate) => env[candidate] !== undefined && env[candidate] !== '');
  const found =
    path in overrides
      ? { source: 'flag', raw: overrides[path] }
      : name !== undefined
        ? { source: name, raw: env[name] }
        : from.file.has(path)
          ? { source: from.path, raw: from.file.get(path) }
          : undefined;
  if (!found) return { placed, value: key.default, source: 'default' };
  const isText = found.source !== from.path && typeof found.raw === 'string';
  const reading = isText ? key.parse(String(found.raw)) : key.read(found.raw);
  if (reading.ok) return { placed, value: reading.value, source: found.source };
  const message = `expected ${reading.expected}${found.source === 'flag' ? ' (from the command line)' : ''}`;
  return {
    placed,
    value: key.default,
    source: found.source,
    problem: { path, message, environment: name ?? key.environment[0] },
  };
}

/** Said of a key that is set to something else than its default, and is not heeded. */
function idleOf({ placed: { path, key }, value, source }: Chosen): ConfigProblem[] {
  if (key.idle === undefined || value === key.default) return [];
  const environment = key.environment.find((name) => name === source) ?? key.environment[0];
  return [{ path, message: `has no effect: ${key.idle}`, environment }];
}

/** The tree of values for a tree of keys, frozen at every level. */
function build(section: object, prefix: string, values: ReadonlyMap<string, unknown>): object {
  const tree = Object.entries(section).map(([name, node]: [string, object]) => {
    const path = prefix + name;
    return [name, isKey(node) ? deepFreeze(values.get(path)) : build(node, `${path}.`, values)];
  });
  return Object.freeze(Object.fromEntries(tree));
}

function deepFreeze(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? Object.freeze(value) : value;
}

/** True when every key of the schema has its place; what each holds was read by the key itself. */
function isConfig(value: object): value is Config {
  return placedKeys().every(({ path }) => {
    let at: unknown = value;
    for (const name of path.split('.')) at = typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined;
    return at !== undefined;
  });
}

/** Keys that are right one by one and wrong together. */
function contradictions(config: Config): ConfigProblem[] {
  const { database, listen, metrics, node, secret, server } = config;
  const problems: ConfigProblem[] = [];
  if (node.count > 1 && secret === '') {
    const message = `must be set, the same on all nodes, when node.count is ${node.count}`;
    problems.push({ path: 'secret', message, environment: 'TOLLGATE_SECRET' });
  }
  const several = [
    ...(node.count > 1 ? [`node.count is ${node.count}`] : []),
    ...(server.workers > 1 ? [`server.workers is ${server.workers}`] : []),
  ];
  if (several.length > 0 && database.url.startsWith('sqlite:')) {
    const message = `must name a PostgreSQL database when ${several.join(' and ')}`;
    problems.push({ path: 'database.url', message, environment: 'TOLLGATE_DATABASE_URL' });
  }
  const message = metrics.listen === null ? undefined : misplaced(metrics.listen, { listen, workers: server.workers });
  if (message !== undefined) problems.push({ path: 'metrics.listen', message, environment: 'TOLLGATE_METRICS_LISTEN' });
  return problems;
}

/** What is wrong with the ports of metrics, which workers have side by side. */
function misplaced(
  { host, port }: Config['listen'],
  { listen, workers }: { readonly listen: Config['listen']; readonly workers: number },
): string | undefined {
  if (port === 0) return undefined;
  const last = port + workers - 1;
  if (last > 65_535) return `needs ${workers} ports, one for each worker: expected at most ${65_535 - workers + 1}`;
  const everywhere = ['0.0.0.0', '::'];
  const isSamePlace = host === listen.host || everywhere.includes(host) || everywhere.includes(listen.host);
  if (!isSamePlace || listen.port < port || listen.port > last) return undefined;
  return `needs a port of its own, and ${listen.port} is that of listen`;
}

function unknownOverrides(overrides: Readonly<Record<string, unknown>>): ConfigProblem[] {
  const known = placedKeys().map(({ path }) => path);
  return Object.keys(overrides)
    .filter((path) => !known.includes(path))
    .map((path) => ({ path, message: 'is not a key of the configuration', environment: undefined }));
}
