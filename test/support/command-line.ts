/**
 * The command line as scripts use it: in this process, through the program's own entrance with streams and environment
 * of the test, or as the built program where exit code, signals and pipes of a real process are what is tested.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { LocalCommands } from '../../cli/command.ts';
import type { Host } from '../../cli/host.ts';
import { localCommandsThat } from '../../cli/local-commands.ts';
import { runProgram as runHere } from '../../cli/program.ts';
import { until } from './until.ts';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Surroundings {
  readonly environment: Readonly<Record<string, string>>;
  /** What stands on standard input. */
  readonly input?: string;
  /** Aborted with the name of a signal. */
  readonly signal?: AbortSignal;
  /** What runs beside the daemon; by default it refuses. */
  readonly local?: Partial<LocalCommands>;
}

const elsewhere = () => Promise.reject(new Error('commands beside the daemon run in the built program only'));
const refusing = localCommandsThat(elsewhere);

/** A stream that keeps what is written to it. */
class Kept extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk;
    done();
  }
}

/** A command under way. */
export interface Running {
  readonly ended: Promise<Ended>;
  /** Resolves once this much was written to standard output. Throws when the command ends without it. */
  shows(text: string): Promise<void>;
  /** What stands in the group of this pattern, once standard error has it. Throws when the command ends without it. */
  tells(pattern: RegExp): Promise<string>;
}

/** Starts a command in this process; nothing of this process's environment reaches it. */
export function startProgram(
  args: readonly string[],
  { environment, input = '', signal = new AbortController().signal, local }: Surroundings,
): Running {
  const stdout = new Kept();
  const stderr = new Kept();
  const host: Host = { stdin: Readable.from([Buffer.from(input)]), stdout, stderr };
  let isOver = false;
  const run = async (): Promise<Ended> => {
    await runHere(args, {
      environment: { LANG: 'C.UTF-8', ...environment },
      host,
      signal,
      local: { ...refusing, ...local },
    });
    isOver = true;
    return { code: Number(host.exitCode ?? 0), stdout: stdout.text, stderr: stderr.text };
  };
  const untilIt = (isThere: () => boolean, what: string | RegExp): Promise<void> =>
    until(() => {
      if (isThere()) return true;
      if (isOver) throw new Error(`it ended without ${what}: ${stdout.text}${stderr.text}`);
      return false;
    });
  return {
    ended: run(),
    shows: (text) => untilIt(() => stdout.text.includes(text), text),
    tells: async (pattern) => {
      await untilIt(() => pattern.test(stderr.text), pattern);
      return pattern.exec(stderr.text)?.[1] ?? '';
    },
  };
}

/** Runs a command to its end in this process; nothing of this process's environment reaches it. */
export function runProgram(args: readonly string[], surroundings: Surroundings): Promise<Ended> {
  return startProgram(args, surroundings).ended;
}

/** Path of the built program, as users run it; the test runner builds it first. */
export const builtProgram = fileURLToPath(new URL('../../dist/bin/tollgate.js', import.meta.url));

/** Starts the built program, with nothing of this process's environment but the path. */
export function startBuilt(args: readonly string[], environment: Readonly<Record<string, string>>): ChildProcess {
  return spawn(process.execPath, [builtProgram, ...args], {
    env: { PATH: process.env.PATH, LANG: 'C.UTF-8', ...environment },
  });
}

/** Runs the built program to its end. */
export function runBuilt(args: readonly string[], { environment, input = '' }: Surroundings): Promise<Ended> {
  const child = startBuilt(args, environment);
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  child.stdin?.end(input);
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
}

/** Words of a command as a shell splits them; what stands between single quotes is one word. */
export function wordsOf(line: string): string[] {
  return line.match(/'[^']*'|\S+/g)?.map((word) => word.replaceAll("'", '')) ?? [];
}
