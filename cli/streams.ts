/**
 * Writing to standard output with back-pressure. A reader that closed the pipe ends the program quietly with 0;
 * a full disk ends it with 12 and one line. The process is never left by `process.exit` after output.
 */
import { once } from 'node:events';
import { exitCodes } from './exit-codes.ts';
import type { Host } from './host.ts';
import type { Language } from './language.ts';

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

const unwritable: Readonly<Record<Language, (code: string) => string>> = {
  en: (code) => `error: cannot write to standard output (${code})`,
  zh: (code) => `错误：无法写入标准输出 (${code})`,
};

/** Guards both streams for the life of the process, whatever writes to them: results, help, versions. */
export function watchStreams(host: Host, language: Language): void {
  const { stdout, stderr } = host;
  stdout.on('error', (error) => {
    if (codeOf(error) === 'EPIPE') {
      host.exitCode = exitCodes.done;
      return;
    }
    host.exitCode = exitCodes.local;
    stderr.write(`${unwritable[language](codeOf(error))}\n`);
  });
  stderr.on('error', () => {
    // Nowhere is left to say anything.
  });
}

/** Gives the way to write results to streams that are watched. */
export function openOutput({ stdout }: Pick<Host, 'stdout'>): StreamOutput {
  let gone = false;
  stdout.on('error', () => {
    gone = true;
  });
  return {
    async write(content) {
      if (gone) throw new ReaderGone();
      // A broken pipe rejects the wait; the listener has noted it.
      if (!stdout.write(content)) await once(stdout, 'drain').catch(() => undefined);
      if (gone) throw new ReaderGone();
    },
    done() {
      // A stream has what it was given.
    },
  };
}
