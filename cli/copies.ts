/** Doors into what saves, moves and mends a whole database beside the daemon. */

import type { ImportClashRule, ImportKind, ImportRoleRule, ImportSource } from '../daemon/contract/gateway-import.ts';

/** What a copy holds. */
export interface CopyReport {
  /** RFC 3339: the data are as they stood then. */
  created_at: string;
  version: string;
  engine: string;
  /** Rows by table. */
  tables: Record<string, number>;
  /** Sums of amounts by `table.column`, as exact decimal texts. */
  sums: Record<string, string>;
}

export interface FileReport extends CopyReport {
  bytes: number;
  sha256: string;
  secrets: 'encrypted' | 'none';
  excluded: readonly string[];
}

export interface RestoreReport extends CopyReport {
  database: string;
  /** Whether the machine has the root secret of the backup, was given it, or has another. */
  secret: 'same' | 'adopted' | 'resealed';
}

export interface MoveReport extends CopyReport {
  database: string;
}

export type Exclusion = 'logs' | 'bodies';

interface Watched {
  /** Told how many rows were copied since it was told before. */
  onRows: (count: number) => void;
  signal: AbortSignal;
}

/** What `import` did with one kind of objects. */
export interface ImportedKind {
  kind: string;
  found: number;
  new: number;
  skipped: number;
  failed: number;
  /** Quota that was taken over, as an exact decimal text; "" for what has none. */
  sum: string;
}

export interface ImportReport {
  source: string;
  /** False where nothing was kept. */
  written: boolean;
  kinds: readonly ImportedKind[];
  /** Rows that were left out, changed or are worth a word, by their ids there. */
  rows: readonly { kind: string; id: number | string; outcome: string; reason: string; field?: string }[];
  /** Columns that nothing here knows, by table. */
  ignored_columns: Readonly<Record<string, readonly string[]>>;
}

export type RescueAct = 'password-login' | 'root-password' | 'root-2fa';

export interface Rescued {
  id: number;
  username: string;
}

export interface CopyCommands {
  /** Without a passphrase secrets are left out. */
  backup(
    wish: Watched & {
      config?: string;
      excluded: readonly Exclusion[];
      passphrase: string | undefined;
      write: (bytes: Uint8Array) => Promise<void>;
    },
  ): Promise<FileReport>;
  verifyBackup(wish: Watched & { file: string; passphrase: string | undefined }): Promise<FileReport>;
  restore(
    wish: Watched & {
      config?: string;
      file: string;
      passphrase: string | undefined;
      /** Address of the database; that of the configuration without. */
      into: string | undefined;
      replace: boolean;
      dryRun: boolean;
      confirm: (name: string) => Promise<void>;
    },
  ): Promise<RestoreReport>;
  moveTo(wish: Watched & { config?: string; to: string; dryRun: boolean }): Promise<MoveReport>;
  /** Takes over another gateway's database. */
  import(
    wish: Watched & {
      config?: string;
      /** Address of the database to read. */
      source: string;
      from: ImportSource | undefined;
      kinds: readonly ImportKind[];
      /** Names of groups there and here. */
      groups: Readonly<Record<string, string>>;
      roles: ImportRoleRule;
      onClash: ImportClashRule;
      dryRun: boolean;
    },
  ): Promise<ImportReport>;
  /** Lets a super administrator back in; the oldest without a name. */
  rescue(wish: { config?: string; act: RescueAct; username: string | undefined; password: string }): Promise<Rescued>;
}
