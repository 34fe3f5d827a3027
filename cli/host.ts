/** What a run of the program has of its surroundings; the real process is one, tests make others. */
import type { Readable, Writable } from 'node:stream';

/** A stream to write to; `isTTY`, `columns` and `rows` as Node's terminals have them. */
export type OutputStream = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  /** Number of its open file; undefined for a stream of this process alone. */
  readonly fd?: number;
};

export interface Host {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** As Node names it; absent: like Unix. */
  readonly platform?: NodeJS.Platform;
  /** What the program ends with once its output is on its way; undefined means 0. */
  exitCode?: number | string | null | undefined;
}
