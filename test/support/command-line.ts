/** The built program, run as scripts run it. */
import { spawn } from 'node:child_process';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

// The built program, as users run it; the test runner builds it first.
const program = new URL('../../dist/bin/tollgate.js', import.meta.url).pathname;

/** Runs the program to its end, with nothing of this process's environment but the path. */
export function runProgram(
  args: readonly string[],
  { environment, input = '' }: { environment: Readonly<Record<string, string>>; input?: string },
): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env.PATH, LANG: 'C.UTF-8', ...environment },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  child.stdin.end(input);
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
}
