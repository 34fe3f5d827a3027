/** Child processes of the bench: pinned to a core, waited for, and ended whatever happens. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Child {
  readonly process: ChildProcess;
  stop(): Promise<void>;
}

export interface ChildOptions {
  /** The cores it may use, as a rule one: two are all that many a bench machine has. */
  core: number | readonly number[];
  environment?: NodeJS.ProcessEnv;
  /** Called with each piece of standard error. */
  onStderr?(text: string): void;
}

/** Starts a program pinned to a core. */
export function start(command: readonly string[], options: ChildOptions): Child {
  const child = spawn('taskset', ['-c', String(options.core), ...command], {
    env: { ...process.env, ...options.environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  child.stderr.on('data', (chunk: Buffer) => options.onStderr?.(chunk.toString()));
  return {
    process: child,
    async stop() {
      if (child.exitCode === null) child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), 15_000);
      await ended;
      clearTimeout(late);
    },
  };
}

/** A port that nobody listens on at this moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

/** Polls until the address answers; throws after ten seconds. */
export async function answers(url: string): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    const reached = await fetch(url, { method: 'POST', body: '{}' }).then(
      async (response) => {
        await response.arrayBuffer();
        return true;
      },
      () => false,
    );
    if (reached) return;
    await sleep(20);
  }
  throw new Error(`${url} did not answer`);
}

/** Fails with the command that mends it when a program of the bench is missing. */
export function needPrograms(): void {
  for (const [program, pack] of [
    ['nginx', 'nginx-light'],
    ['wrk', 'wrk'],
    ['taskset', 'util-linux'],
  ] as const) {
    if (spawnSync('which', [program]).status === 0) continue;
    if (process.getuid?.() === 0) {
      spawnSync('apt-get', ['update', '-qq']);
      spawnSync('apt-get', ['install', '-y', '-qq', pack], { stdio: 'inherit' });
    }
    if (spawnSync('which', [program]).status !== 0) throw new Error(`${program} is missing: apt-get install ${pack}`);
  }
}
