/** What saves and moves a whole database beside the daemon, whether it runs or not. */
import { migrations } from '../migrations/index.ts';
import { WORK_FACTOR } from './archive/archive-file.ts';
import { type BackupWish, backUp } from './archive/backup.ts';
import type { FileReport } from './archive/copy-report.ts';
import { type MoveReport, type MoveWish, moveTo } from './archive/move.ts';
import { type RestoreReport, type RestoreWish, restore } from './archive/restore.ts';
import { type Environment, loadConfig } from './config/load.ts';
import { packageVersion } from './package-version.ts';

export { verifyBackup } from './archive/backup.ts';

interface Configured {
  readonly config?: string;
}

const program = { migrations, version: packageVersion() };

/** Writes a backup while others go on working; without a passphrase it leaves secrets out. */
export async function backUpDatabase(
  wish: Omit<BackupWish, 'lock'> & Configured & { readonly passphrase: string | undefined },
  environment: Environment,
  workFactor = WORK_FACTOR,
): Promise<FileReport> {
  const { passphrase } = wish;
  const lock = passphrase === undefined ? undefined : { passphrase, workFactor };
  return backUp(loadConfig({ file: wish.config, env: environment }), program, { ...wish, lock });
}

/** Fills an empty database from a backup. */
export async function restoreDatabase(
  wish: RestoreWish & Configured,
  environment: Environment,
): Promise<RestoreReport> {
  return restore(loadConfig({ file: wish.config, env: environment }), program, wish);
}

/** Fills an empty database from the one of the configuration. */
export async function moveDatabase(wish: MoveWish & Configured, environment: Environment): Promise<MoveReport> {
  return moveTo(loadConfig({ file: wish.config, env: environment }), program, wish);
}
