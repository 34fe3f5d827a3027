/** Variables of the environment that carry this program's prefix: which it knows, and what is said of the others. */
import { closest, nearest } from '../contract/nearest.ts';
import type { ConfigProblem } from './config-file.ts';
import { placedKeys } from './key-table.ts';

const prefix = 'TOLLGATE_';

/** What the command line reads (cli.md 2), where the file is, and which worker this is. */
const readElsewhere: readonly string[] = [
  'TOLLGATE_ACCESS_TOKEN',
  'TOLLGATE_API_KEY',
  'TOLLGATE_CONFIG',
  'TOLLGATE_CONFIG_DIR',
  'TOLLGATE_DEBUG',
  'TOLLGATE_FORCE_TTY',
  'TOLLGATE_LANG',
  'TOLLGATE_NO_INPUT',
  'TOLLGATE_PAGER',
  'TOLLGATE_PROFILE',
  'TOLLGATE_TZ',
  'TOLLGATE_URL',
  'TOLLGATE_WORKER_NUMBER',
];

/** What the names of other programs' variables are called here; by spelling they are near to something else. */
const calledHere: Readonly<Record<string, string>> = { ADDRESS: 'LISTEN', HOST: 'LISTEN', PORT: 'LISTEN' };

export interface StrangeNames {
  /** So near to a name of the daemon that it must be meant: it cannot start. */
  readonly misspelt: readonly ConfigProblem[];
  /** Nothing reads them. */
  readonly unknown: readonly ConfigProblem[];
}

/** Looks at every variable with the prefix that has a value. */
export function strangeNames(env: Readonly<Record<string, string | undefined>>): StrangeNames {
  const ofDaemon = placedKeys().flatMap(({ key }) => key.environment);
  const known = [...ofDaemon, ...readElsewhere].filter((name) => name.startsWith(prefix));
  const misspelt: ConfigProblem[] = [];
  const unknown: ConfigProblem[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith(prefix) || !value || known.includes(name) || isOfCluster(name, value)) continue;
    const meant = nearest(name.slice(prefix.length), ofDaemon.map(bare));
    const problem = { path: name, environment: undefined };
    if (meant !== undefined) {
      misspelt.push({ ...problem, message: `is not known; did you mean ${prefix}${meant}?` });
    } else {
      const strange = name.slice(prefix.length);
      const next = calledHere[strange] ?? closest(strange, ofDaemon.map(bare))?.candidate;
      unknown.push({ ...problem, message: `is not known and changes nothing; the nearest name is ${prefix}${next}` });
    }
  }
  return { misspelt, unknown };
}

function bare(name: string): string {
  return name.replace(prefix, '');
}

/** What Kubernetes tells every container of a service that is called `tollgate`, or `tollgate-` and more. */
function isOfCluster(name: string, value: string): boolean {
  if (/_SERVICE_(?:HOST|PORT(?:_\w+)?)$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/.test(name)) return true;
  return name.endsWith('_PORT') && /^(?:tcp|udp|sctp):\/\//.test(value);
}
