/**
 * Writing to standard output with back-pressure. A reader that closed the pipe ends the program quietly with 0;
 * a full disk ends it with 12 and one line. The process is never left by `process.exit` after output.
 */
import { once } from 'node:events';
import { exitCodes } from './exit-codes.ts';
import type { Host } from './host.ts';

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

/** Thrown inside a command when its reader went away, so that paging stops. */
export class ReaderGone extends Error {}

export interface Output {
  /** Resolves when the stream can take more. Throws `ReaderGone` after the reader closed the pipe. */
  write(text: string): Promise<void>;
  /** Says that what was written so far is a whole result. */
  done(): void;
}

export interface StreamOutput extends Output {
  write(content: string | Uint8Array): Promise<void>;
}

/** Guards both streams for the life of the process and gives the way to write results. */
export function openOutput(host: Host): StreamOutput {
  const { stdout, stderr } = host;
  let gone = false;
  stdout.on('error', (error) => {
    gone = true;
    if (codeOf(error) === 'EPIPE') {
      host.exitCode = exitCodes.done;
      return;
    }
    host.exitCode = exitCodes.local;
    stderr.write(`error: cannot write to standard output (${codeOf(error)})\n`);
  });
  stderr.on('error', () => {
    // Nowhere is left to say anything.
  });
  return {
    async write(content) {
      if (gone) throw new ReaderGone();
      // A broken pipe rejects the wait; the listener above has noted it.
      if (!stdout.write(content)) await once(stdout, 'drain').catch(() => undefined);
      if (gone) throw new ReaderGone();
    },
    done() {
      // A stream has what it was given.
    },
  };
}
