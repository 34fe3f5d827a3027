/** Whether the root secret of a configuration is there, kept to its owner, and that of the database. */
import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { migrations } from '../../migrations/index.ts';
import { expectSecretFits } from '../archive/database-source.ts';
import type { Config } from '../config/schema.ts';
import { findRootSecret } from '../config/secret-file.ts';
import { createKeyring } from '../config/secrets.ts';
import { TollgateError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import { migrationStatus } from '../store/migrate.ts';
import { type Finding, finding, isThere, ok, whyNot } from './local-finding.ts';

/** What the database holds sealed opens with this one alone. */
const rightSecret = 'the secret that this database was made with';

/** @param open the database; undefined where it was not made yet, and rejected where it is away */
export async function checkSecret(config: Config, open: () => Promise<Database | undefined>): Promise<Finding> {
  if (config.secret !== '') return (await misfit(config, open)) ?? ok('given by the configuration');
  const path = join(config.data_dir, 'secret');
  let mode: number;
  try {
    if (!(await isThere(path))) return await absent(path, open);
    ({ mode } = await stat(path));
  } catch (error) {
    return finding('fail', whyNot(error), 'a file that this user can read', '');
  }
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    const found = (mode & 0o777).toString(8).padStart(4, '0');
    return finding('fail', `${path} has mode ${found}`, '0600', `chmod 600 ${path}`);
  }
  try {
    if (readFileSync(path, 'utf8').trim().length < 32) {
      return finding('fail', `${path} does not hold a secret`, 'at least 32 characters', '');
    }
  } catch (error) {
    return finding('fail', whyNot(error), 'a file that this user can read', '');
  }
  return (await misfit(config, open)) ?? ok(path);
}

async function absent(path: string, open: () => Promise<Database | undefined>): Promise<Finding> {
  const database = await open().catch(() => undefined);
  const isUsed = database && (await migrationStatus(database, migrations)).applied.length > 0;
  if (!isUsed) return finding('warn', 'not made yet', path, 'tollgate serve');
  return finding('fail', `${path} is missing`, rightSecret, '');
}

/** Why a start would refuse the secret; undefined also where the database cannot be asked. */
async function misfit(config: Config, open: () => Promise<Database | undefined>): Promise<Finding | undefined> {
  try {
    const database = await open();
    if (database) {
      await expectSecretFits(database.stores, createKeyring(findRootSecret(config) ?? ''), 'first-rows');
    }
  } catch (error) {
    if (!(error instanceof TollgateError) || error.code !== 'secret_differs') return undefined;
    return finding('fail', `opens none of the ${error.params.count} sealed values of the database`, rightSecret, '');
  }
  return undefined;
}
