/** Takes over the database of another gateway beside the daemon, whether it runs or not. */
import { existsSync } from 'node:fs';
import { migrations } from '../migrations/index.ts';
import { withDatabase } from './archive/database-place.ts';
import { expectSecretFits } from './archive/database-source.ts';
import { type Environment, loadConfig } from './config/load.ts';
import type { Config } from './config/schema.ts';
import { findRootSecret, resolveRootSecret } from './config/secret-file.ts';
import { createKeyring } from './config/secrets.ts';
import type { ImportKind, ImportSource } from './contract/gateway-import.ts';
import { GatewayImport, type ImportReport, type ImportWish } from './domain/gateway-import.ts';
import { type GatewaySource, readGateway, sourceTables, type Watch } from './domain/import-source.ts';
import { randomToken } from './domain/random-text.ts';
import { TollgateError } from './errors.ts';
import { readForeign } from './store/foreign-database.ts';
import { migrationStatus, refuseNewer } from './store/migrate.ts';
import { AddressGuard } from './upstream/address-guard.ts';

export interface GatewayImportWish extends Pick<ImportWish, 'roles' | 'onClash' | 'dryRun'>, Watch {
  readonly config?: string;
  /** Address of the database to read; that of the configuration is written. */
  readonly source: string;
  /** Whose it is; told by its columns without. */
  readonly from: ImportSource | undefined;
  readonly kinds: readonly ImportKind[];
  /** Names of groups there and here; others keep theirs. */
  readonly groups: Readonly<Record<string, string>>;
}

/**
 * Reads and writes side by side, as a large database does not fit in memory. Throws `import_address_invalid`,
 * `import_source_*`, `import_unit_differs`, `copy_differs`, `database_missing`, `schema_older`, `schema_newer`,
 * `secret_differs`, `db_unavailable`.
 */
export async function importGateway(wish: GatewayImportWish, environment: Environment): Promise<ImportReport> {
  const config = loadConfig({ file: wish.config, env: environment });
  const file = wish.source.startsWith('sqlite:') ? wish.source.slice('sqlite:'.length) : undefined;
  if (file !== undefined && !existsSync(file)) {
    throw new TollgateError('import_source_unreadable', { name: file }, { cause: new Error('no such file') });
  }
  return readForeign(wish.source, sourceTables, async (tables) =>
    takeOver(await readGateway(tables, wish), wish, config),
  );
}

async function takeOver(source: GatewaySource, wish: GatewayImportWish, config: Config): Promise<ImportReport> {
  return withDatabase({ url: config.database.url }, async (database) => {
    const status = await migrationStatus(database, migrations);
    refuseNewer(status);
    if (status.pending.length > 0) throw new TollgateError('schema_older', { count: status.pending.length });
    const keyring = createKeyring(secretOf(config, wish));
    await expectSecretFits(database.stores, keyring);
    const guard = new AddressGuard({
      allow: config.security.egress_allow,
      channelAllowPrivate: config.security.channel_allow_private,
    });
    const gatewayImport = new GatewayImport({
      database,
      secrets: keyring,
      channelRules: {
        revealKeys: config.security.reveal_channel_keys ? 'shown' : 'hidden',
        acceptsBaseUrl: (url) => guard.accepts(url, 'channel'),
      },
      revealTokens: config.security.reveal_tokens,
      language: config.site.default_language,
      nowSeconds: () => Math.floor(Date.now() / 1000),
    });
    const { roles, onClash, dryRun } = wish;
    const groups = new Map(Object.entries(wish.groups));
    return gatewayImport.run(source, { kinds: new Set(wish.kinds), groups, roles, onClash, dryRun });
  });
}

/** A dry run makes no secret where there is none yet. */
function secretOf(config: Config, { dryRun }: GatewayImportWish): string {
  return dryRun ? (findRootSecret(config) ?? randomToken()) : resolveRootSecret(config).value;
}
