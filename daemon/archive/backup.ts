/** A backup: written while others go on working, and read again to see that it is whole. */
import { createHash } from 'node:crypto';
import type { Config } from '../config/schema.ts';
import { findRootSecret } from '../config/secret-file.ts';
import { createKeyring } from '../config/secrets.ts';
import { TollgateError } from '../errors.ts';
import { migrationStatus, refuseNewer } from '../store/migrate.ts';
import type { Migration } from '../store/schema-migrations.ts';
import { type Lock, packed, unpacked } from './archive-file.ts';
import { type ArchiveContent, ArchiveReader, archiveLines } from './archive-lines.ts';
import { type FileReport, reportOf } from './copy-report.ts';
import { withDatabase } from './database-place.ts';
import { databaseSource, expectSecretFits, tablesOf, withoutAnySecret } from './database-source.ts';
import type { Exclusion } from './table-copy.ts';

/** What the program is made of. */
export interface Program {
  readonly migrations: readonly Migration[];
  readonly version: string;
}

export interface Watcher {
  /** Told how many rows were copied since it was told before. */
  readonly onRows: (count: number) => void;
  /** Ends the work, of which then nothing is left. */
  readonly signal: AbortSignal;
}

export interface BackupWish extends Watcher {
  readonly excluded: readonly Exclusion[];
  /** Undefined leaves secrets out. */
  readonly lock: Lock | undefined;
  /** Takes the bytes of the file. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
}

/** Writes a backup of the data as they stand. Throws `database_missing`, `db_unavailable`, `secret_missing`, `secret_differs`. */
export async function backUp(config: Config, program: Program, wish: BackupWish): Promise<FileReport> {
  const { lock, excluded, onRows, signal, write } = wish;
  const rootSecret = findRootSecret(config);
  // A backup whose values nobody can ever open is none.
  if (lock !== undefined && rootSecret === undefined) throw new TollgateError('secret_missing');
  const ownTables = await tablesOf(program.migrations);
  return withDatabase({ url: config.database.url }, async (database) => {
    refuseNewer(await migrationStatus(database, program.migrations));
    return database.snapshot(async (stores) => {
      if (lock !== undefined && rootSecret !== undefined) await expectSecretFits(stores, createKeyring(rootSecret));
      const head = {
        createdAt: Math.floor(Date.now() / 1000),
        program: program.version,
        engine: database.engine,
        excluded,
        rootSecret,
      };
      const whole = await databaseSource(stores, head, ownTables);
      const seen = new Seen();
      let content: ArchiveContent | undefined;
      const lines = archiveLines(lock === undefined ? withoutAnySecret(whole) : whole, {
        onRows,
        onContent: (told) => {
          content = told;
        },
      });
      try {
        for await (const piece of packed(lines, lock)) {
          signal.throwIfAborted();
          seen.add(piece);
          await write(piece);
        }
      } finally {
        // Where writing failed, what packs the lines lets them go later: SQLite refuses to close while one is read.
        await lines.return(undefined);
      }
      if (content === undefined) throw new Error('a backup was written without its end');
      return fileReport(content, seen);
    });
  });
}

export interface ArchiveChoice extends Watcher {
  readonly file: string;
  readonly passphrase: string | undefined;
}

/** Reads a backup to its end. Throws `backup_damaged`, `backup_passphrase_missing`, `backup_passphrase_wrong`. */
export async function verifyBackup({ file, passphrase, onRows, signal }: ArchiveChoice): Promise<FileReport> {
  const seen = new Seen();
  const reader = new ArchiveReader(unpacked(file, { passphrase, onPiece: (piece) => seen.add(piece) }));
  for await (const { portions } of (await reader.open()).tables()) {
    for await (const rows of portions()) {
      signal.throwIfAborted();
      onRows(rows.length);
    }
  }
  return fileReport(reader.content, seen);
}

/** The bytes of a file as they pass. */
class Seen {
  readonly #digest = createHash('sha256');
  bytes = 0;

  add(piece: Uint8Array): void {
    this.#digest.update(piece);
    this.bytes += piece.length;
  }

  get sha256(): string {
    return this.#digest.copy().digest('hex');
  }
}

function fileReport({ head, tables }: ArchiveContent, { bytes, sha256 }: Seen): FileReport {
  const secrets = head.rootSecret === undefined ? 'none' : 'encrypted';
  return { ...reportOf(head, tables), bytes, sha256, secrets, excluded: head.excluded };
}
