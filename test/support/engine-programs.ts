/** Where Debian puts the database servers and the browser, and how they get there. */
import { execFileSync, spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const debianPostgres = '/usr/lib/postgresql';

function onPath(program: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).concat('/usr/bin', '/usr/sbin', '/usr/local/bin');
  return folders.map((folder) => join(folder, program)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Path of a program of the newest PostgreSQL here; undefined when there is none. */
function findPostgres(program: string): string | undefined {
  const versions = existsSync(debianPostgres) ? readdirSync(debianPostgres) : [];
  const newestFirst = versions.sort((a, b) => Number(b) - Number(a));
  return newestFirst.map((version) => join(debianPostgres, version, 'bin', program)).find(isProgram) ?? onPath(program);
}

export interface ProgramNeed {
  /** Path of the program; undefined while it is not there. */
  readonly find: () => string | undefined;
  /** The Debian package that brings it. */
  readonly pack: string;
  /** What to type to use another one that is there. */
  readonly instead?: string;
  /** Tries to install a package; by default with apt-get when this user may. */
  readonly install?: (pack: string) => void;
}

/** Path of a program, installed when possible; throws the command that mends it when the program stays away. */
export function needProgram({ find, pack, instead, install = aptInstall }: ProgramNeed): string {
  const found = find();
  if (found !== undefined) return found;
  install(pack);
  const installed = find();
  if (installed !== undefined) return installed;
  const mend = `${pack} is missing. Install it: sudo apt-get install ${pack}`;
  throw new Error(instead === undefined ? mend : `${mend}. Or name one that is there: ${instead}`);
}

function aptInstall(pack: string): void {
  const apt = onPath('apt-get');
  if (apt === undefined || process.getuid?.() !== 0) return;
  process.stderr.write(`installing ${pack} for the tests\n`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync(apt, ['update', '-qq'], { stdio: ['ignore', 2, 2], env });
  spawnSync(apt, ['install', '-y', '-qq', '--no-install-recommends', pack], { stdio: ['ignore', 2, 2], env });
}

export interface PostgresPrograms {
  readonly initdb: string;
  readonly postgres: string;
}

/** The programs of a PostgreSQL server; installs them when possible, else throws what to do. */
export function postgresPrograms(): PostgresPrograms {
  const program = (name: string) =>
    needProgram({
      find: () => findPostgres(name),
      pack: 'postgresql',
      instead: 'TEST_POSTGRES_URL=postgres://user:password@host/postgres npm test',
    });
  return { initdb: program('initdb'), postgres: program('postgres') };
}

/** The Redis server; installs it when possible, else throws what to do. */
export function redisProgram(): string {
  return needProgram({
    find: () => onPath('redis-server'),
    pack: 'redis-server',
    instead: 'TEST_REDIS_URL=redis://host:6379 npm test',
  });
}

const chineseFonts = ['/usr/share/fonts/opentype/noto', '/usr/share/fonts/truetype/noto', '/usr/share/fonts/noto-cjk'];

/**
 * The browser, and letters for Chinese; installs them when possible, else throws what to do. Debian's build without windows
 * comes first: a whole browser draws its own frame around every page, unseen, and takes a sixth more of the processor.
 */
export function chromiumProgram(): string {
  const { TEST_CHROMIUM: named } = process.env;
  if (named) return named;
  needProgram({
    find: () => chineseFonts.find((folder) => existsSync(join(folder, 'NotoSansCJK-Regular.ttc'))),
    pack: 'fonts-noto-cjk',
  });
  return needProgram({
    find: () => onPath('chromium-headless-shell') ?? onPath('chromium'),
    pack: 'chromium-headless-shell',
    instead: 'TEST_CHROMIUM=/path/to/chromium npm test',
  });
}

/** Words to put before a command so that it does not run as root, which PostgreSQL refuses; none when not root. */
export function withoutRoot(user: string): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  return ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--'];
}

/** Gives a folder to the user that a server runs as. */
export function handOver(folder: string, user: string): void {
  if (process.getuid?.() === 0) execFileSync('chown', [user, folder]);
}
