/** The schema as text: for `config print`, the documentation and `config.example.yaml`. */
import { placedKeys } from './key-table.ts';

export interface ConfigDescription {
  readonly path: string;
  /** The documented environment name first. */
  readonly environment: readonly string[];
  /** As the YAML file spells it. */
  readonly default: string;
  readonly meaning: string;
  /** Why setting it changes nothing; undefined for keys that are heeded. */
  readonly idle: string | undefined;
}

/** Every key with its names, default and meaning, in the order of the schema. */
export function describeConfig(): ConfigDescription[] {
  return placedKeys().map(({ path, key }) => ({
    path,
    environment: key.environment,
    default: key.show(key.default),
    meaning: key.meaning,
    idle: key.idle,
  }));
}

const preamble = `# Every key of config.yaml with its default, its environment names and its meaning. Nothing here needs to be set.
# Copy what you change, uncommented, into config.yaml of the folder in which Tollgate starts; --config or TOLLGATE_CONFIG
# names another file. Environment variables win over the file, flags over both; of several names the first that is set
# counts, and a variable that is set but empty counts as not set.
# "tollgate config check" finds mistakes, "tollgate config print" shows what is set and where; --show-defaults adds the rest.
# This file is generated from daemon/config/schema.ts: npm run example
`;

/** The text of `config.example.yaml`. */
export function exampleConfig(): string {
  const lines = [preamble.trimEnd()];
  let open = '';
  for (const { path, environment, default: value, meaning, idle } of describeConfig()) {
    const names = path.split('.');
    const indent = '  '.repeat(names.length - 1);
    const section = names.slice(0, -1).join('.');
    if (section !== open) lines.push(...openSections(open, section));
    else if (names.length === 1) lines.push('');
    open = section;
    const sense = idle === undefined ? meaning : `${meaning}; no effect: ${idle}`;
    lines.push(`${indent}# ${sense}. ${environment.join(', ')}`);
    lines.push(`${indent}# ${names.at(-1)}: ${value}`);
  }
  return `${lines.join('\n')}\n`;
}

/** Headings of the sections that begin between two neighbouring keys. */
function openSections(from: string, to: string): string[] {
  const before = from.split('.');
  const names = to.split('.');
  const shared = names.findIndex((name, at) => before[at] !== name);
  // Back from a section within: its heading is open still.
  if (shared === -1) return [];
  return names.slice(shared).flatMap((name, at) => {
    const depth = shared + at;
    return [...(depth === 0 ? [''] : []), `${'  '.repeat(depth)}${name}:`];
  });
}
