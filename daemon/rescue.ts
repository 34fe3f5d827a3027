/** Lets a super administrator who is locked out back in, straight in the database beside the daemon. */
import { migrations } from '../migrations/index.ts';
import { withDatabase } from './archive/database-place.ts';
import { type Environment, loadConfig } from './config/load.ts';
import { Passwords } from './domain/passwords.ts';
import { Rescue, type Rescued } from './domain/rescue.ts';
import { TollgateError } from './errors.ts';
import { migrationStatus, refuseNewer } from './store/migrate.ts';

export interface RescueWish {
  readonly config?: string;
  readonly act: 'password-login' | 'root-password' | 'root-2fa';
  /** Which super administrator, where there are several; the oldest without. */
  readonly username: string | undefined;
  /** Of `root-password`. */
  readonly password: string;
}

/** Throws `rescue_no_root`, `password_invalid`, `database_missing`, `schema_newer`, `schema_older`. */
export async function rescueRoot(wish: RescueWish, environment: Environment): Promise<Rescued> {
  const { act, username, password } = wish;
  const config = loadConfig({ file: wish.config, env: environment });
  return withDatabase({ url: config.database.url }, async (database) => {
    const status = await migrationStatus(database, migrations);
    refuseNewer(status);
    if (status.pending.length > 0) throw new TollgateError('schema_older', { count: status.pending.length });
    const nowSeconds = () => Math.floor(Date.now() / 1000);
    const rescue = new Rescue({ database, passwords: new Passwords(), nowSeconds });
    if (act === 'password-login') return rescue.passwordLogin(username);
    if (act === 'root-password') return rescue.rootPassword(username, password);
    return rescue.rootSecondFactor(username);
  });
}
