/** A backup becomes a database again. */
import { rmSync } from 'node:fs';
import type { Config } from '../config/schema.ts';
import { adoptRootSecret, findRootSecret, resolveRootSecret } from '../config/secret-file.ts';
import { createKeyring } from '../config/secrets.ts';
import { unpacked } from './archive-file.ts';
import { ArchiveReader } from './archive-lines.ts';
import type { Watch } from './at-work.ts';
import { type ArchiveChoice, type Program, verifyBackup } from './backup.ts';
import { type CopyReport, reportOf } from './copy-report.ts';
import { databaseName, exists, withDatabase, withTarget } from './database-place.ts';
import { tablesOf } from './database-source.ts';
import { expectRoom, type Filling, fillDatabase, refuseUnknown } from './fill.ts';

export interface RestoreWish extends ArchiveChoice, Pick<Watch, 'watchMs'> {
  /** Address of the database; that of the configuration without. */
  readonly into: string | undefined;
  /** Removes what is in the database. */
  readonly replace: boolean;
  /** Reads the backup and looks whether there is room; writes nothing. */
  readonly dryRun: boolean;
  /** Asks whether this database is meant, by its name; throws when it is not. */
  readonly confirm: (name: string) => Promise<void>;
}

export interface RestoreReport extends CopyReport {
  /** Name of the database. */
  database: string;
  /**
   * `same`: this machine has the root secret of the backup, or there was none in it. `adopted`: it had none and now has
   * that of the backup. `resealed`: it has another, and values were sealed anew.
   */
  secret: 'same' | 'adopted' | 'resealed';
}

/**
 * Fills an empty database, all of it or nothing. Throws as `verifyBackup` does, and `database_not_empty`,
 * `database_in_use`, `copy_differs`, `schema_newer`.
 */
export async function restore(config: Config, program: Program, wish: RestoreWish): Promise<RestoreReport> {
  const { file, passphrase, onRows, signal, replace, watchMs, into: url = config.database.url } = wish;
  const place = { url, field: wish.into === undefined ? undefined : '--into' };
  const name = databaseName(place);
  const room = { ...program, ownTables: await tablesOf(program.migrations), replace };
  const nowSeconds = Math.floor(Date.now() / 1000);
  const open = () => new ArchiveReader(unpacked(file, { passphrase, onPiece: () => signal.throwIfAborted() })).open();
  // Before anybody is asked: a file that is no backup, does not open, or is of a newer program.
  const { head } = await open();
  refuseUnknown(head.migrations, program.migrations);
  const secret = secretFor(config, head.rootSecret);
  if (wish.dryRun) {
    const { created_at, version, engine, tables, sums } = await verifyBackup(wish);
    if (exists(url)) await withDatabase(place, ({ stores }) => expectRoom(stores, { ...room, nowSeconds }));
    return { created_at, version, engine, tables, sums, database: name, secret: secret.state };
  }
  await wish.confirm(name);
  const secrets = secret.take();
  try {
    return await withTarget(place, async (database) => {
      const tables = await fillDatabase(database, open, {
        ...room,
        nowSeconds,
        watchMs,
        signal,
        keyrings: secrets.keyrings,
        onRows,
        finish: ({ audits }) =>
          audits.append({
            createdAt: nowSeconds,
            actorId: 0,
            actorName: 'tollgate restore',
            ip: '',
            action: 'system.restore',
            target: '',
            detail: JSON.stringify({ created_at: head.createdAt, version: head.program }),
          }),
      });
      return { ...reportOf(head, tables), database: name, secret: secret.state };
    });
  } catch (error) {
    secrets.takeBack();
    throw error;
  }
}

interface SecretOfTarget {
  readonly state: RestoreReport['secret'];
  /** Makes it so. */
  readonly take: () => {
    readonly keyrings: Filling['keyrings'];
    /** Leaves this machine as it was found. */
    readonly takeBack: () => void;
  };
}

/** A machine without a secret takes that of the backup, so that sessions and keys that are only hashed live on. */
function secretFor(config: Config, carried: string | undefined): SecretOfTarget {
  const here = findRootSecret(config);
  const nothing = () => undefined;
  if (carried === undefined || here === carried) {
    return { state: 'same', take: () => ({ keyrings: undefined, takeBack: nothing }) };
  }
  if (here === undefined && isFitForFile(carried)) {
    const take = () => {
      const path = adoptRootSecret(config, carried);
      return { keyrings: undefined, takeBack: () => rmSync(path, { force: true }) };
    };
    return { state: 'adopted', take };
  }
  const take = () => {
    const keyrings = { from: createKeyring(carried), to: createKeyring(resolveRootSecret(config).value) };
    return { keyrings, takeBack: nothing };
  };
  return { state: 'resealed', take };
}

/** The file takes what is long enough, and gives it back without spaces around. */
function isFitForFile(secret: string): boolean {
  return secret.length >= 32 && secret.trim() === secret;
}
