/**
 * Server programs that never outlive whoever started them. A shell stands between and takes orders on its standard
 * input; when that closes, which the system sees to even if this process is killed, it ends the server and removes its
 * folder.
 */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface GuardedServer {
  /** The last lines the program wrote, for failures. */
  output(): string;
  /** Ends the program as a crash would and keeps its folder; resolves when it is gone. */
  halt(): Promise<void>;
  /** Starts the program again after `halt`; it is not ready yet. */
  resume(): void;
  /** Ends the program; resolves when it and its folder are gone. */
  stop(): Promise<void>;
}

export interface GuardOptions {
  readonly command: readonly string[];
  /** Removed when the server ends. */
  readonly folder: string;
  /** Signal that ends the program at once without losing its files' shape. */
  readonly signal: 'QUIT' | 'TERM';
  /** Keeps the program on one core. */
  readonly core?: 0 | 1;
}

const halted = 'guard: halted';

const guard = `
folder=$1; signal=$2; shift 2
server=
halt() {
  [ -n "$server" ] || return 0
  kill -$signal $server 2>/dev/null
  wait $server
  server=
}
while read -r order; do
  case $order in
    start) "$@" </dev/null & server=$! ;;
    halt) halt; echo '${halted}' ;;
  esac
done
halt
rm -rf "$folder"
`;

/** Starts a program under guard. It is not ready yet: whoever calls polls for that. */
export function startGuarded(options: GuardOptions): GuardedServer {
  const pinned = options.core === undefined ? [] : ['taskset', '-c', String(options.core)];
  const child = spawn('sh', ['-c', guard, 'guard', options.folder, options.signal, ...pinned, ...options.command], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // Its own group: Ctrl-C reaches this process alone, which then closes the pipe.
    detached: true,
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let output = '';
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-4000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  // A server that nobody stopped must not keep a finished test process alive.
  child.unref();
  for (const stream of child.stdio)
    if (stream && 'unref' in stream && typeof stream.unref === 'function') stream.unref();
  child.stdin.write('start\n');
  return {
    output: () => output,
    async halt() {
      output = '';
      child.stdin.write('halt\n');
      while (!output.includes(halted)) await sleep(10);
    },
    resume() {
      child.stdin.write('start\n');
    },
    async stop() {
      child.ref();
      child.stdin.end();
      await ended;
      rmSync(options.folder, { recursive: true, force: true });
    },
  };
}

/**
 * A port that nobody listens on, below those that systems give to connections and to whoever asks for any: so it stays
 * free until it is used, and while its server is down.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (await isFree(port)) return port;
  }
  throw new Error('no port from 20000 to 31999 is free');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Tries until it works; throws with what the program wrote when it has not started in 20 s. */
export async function untilReady(server: GuardedServer, name: string, attempt: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    try {
      return await attempt();
    } catch (cause) {
      if (Date.now() < deadline) {
        await sleep(20);
        continue;
      }
      await server.stop();
      throw new Error(`${name} did not start: ${server.output().trim()}`, { cause });
    }
  }
}
