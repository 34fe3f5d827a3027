/** Doors into what saves, moves and mends a whole database beside the daemon. */

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
  /** Lets a super administrator back in; the oldest without a name. */
  rescue(wish: { config?: string; act: RescueAct; username: string | undefined; password: string }): Promise<Rescued>;
}
