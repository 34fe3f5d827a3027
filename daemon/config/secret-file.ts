/** The root secret of an installation that was given none: made once, kept in the data folder, readable by its owner. */
import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './data-folder.ts';
import type { Config } from './schema.ts';

export interface RootSecret {
  readonly value: string;
  /** `config`: given from outside; `file`: found in the data folder; `created`: just made there. */
  readonly origin: 'config' | 'file' | 'created';
  /** The file, unless the secret came from outside. */
  readonly path?: string;
}

/** The secret of the configuration, else the one in `<data_dir>/secret`, which is made when it is missing. */
export function resolveRootSecret(config: Pick<Config, 'secret' | 'data_dir'>): RootSecret {
  if (config.secret !== '') return { value: config.secret, origin: 'config' };
  const path = join(config.data_dir, 'secret');
  makeFolder(config.data_dir);
  const found = readSecret(path);
  if (found !== undefined) return { value: found, origin: 'file', path };
  create(path, randomBytes(32).toString('hex'));
  // Whoever else started in this moment may have been first; what the file holds is what counts.
  return { value: readSecret(path) ?? '', origin: 'created', path };
}

/** The secret of the configuration, else the one in the data folder; undefined where there is none yet. */
export function findRootSecret(config: Pick<Config, 'secret' | 'data_dir'>): string | undefined {
  return config.secret === '' ? readSecret(join(config.data_dir, 'secret')) : config.secret;
}

/** Makes a secret from elsewhere that of a data folder that has none; returns the path of its file. */
export function adoptRootSecret({ data_dir: folder }: Pick<Config, 'data_dir'>, secret: string): string {
  const path = join(folder, 'secret');
  makeFolder(folder);
  create(path, secret);
  return path;
}

function readSecret(path: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  if (text.length < 32) throw new Error(`${path} does not hold a secret; restore it from a backup`);
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  return text;
}

/** Writes a new secret whole or not at all, and never over another. */
function create(path: string, secret: string): void {
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, `${secret}\n`, { mode: 0o600, flush: true });
    linkSync(draft, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
