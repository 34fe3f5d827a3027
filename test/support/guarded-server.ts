/**
 * Server programs that never outlive whoever started them. A shell stands between: it waits for its standard input to
 * close, which the system sees to even when this process is killed, then ends the server and removes its folder.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';

export interface GuardedServer {
  /** The last lines the program wrote, for failures. */
  output(): string;
  /** True while the program runs. */
  running(): boolean;
  /** Ends the program; resolves when it and its folder are gone. */
  stop(): Promise<void>;
  /** Resolves when the program has ended, by `stop` or by itself; its folder stays until `stop`. */
  end(): Promise<void>;
}

export interface GuardOptions {
  readonly command: readonly string[];
  /** Removed when the server ends. */
  readonly folder: string;
  /** Signal that ends the program at once without losing its files' shape. */
  readonly signal: 'QUIT' | 'TERM';
  /** Keeps the program on one core of the machine. */
  readonly core?: 0 | 1;
}

// A shell gives /dev/null to what it starts in the background, so the pipe travels as descriptor 3. A server that
// ended by itself leaves `.ended`, for its number may be another program's by then, and its folder until the pipe closes.
const guard = `
folder=$1; signal=$2; shift 2
exec 3<&0
"$@" 3<&- & server=$!
{
  cat <&3
  : >"$folder/.closing"
  [ -e "$folder/.ended" ] || kill -$signal $server
  while [ ! -e "$folder/.ended" ]; do sleep 0.02; done
  rm -rf "$folder"
} >/dev/null 2>&1 & reader=$!
exec 3<&-
wait $server
: >"$folder/.ended"
[ ! -e "$folder/.closing" ] || wait $reader
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
  letExit(child);
  return {
    output: () => output,
    running: () => child.exitCode === null && child.signalCode === null,
    end() {
      child.ref();
      return ended;
    },
    async stop() {
      child.ref();
      child.stdin.end();
      await ended;
      rmSync(options.folder, { recursive: true, force: true });
    },
  };
}

/** A server that nobody stopped must not keep a finished test process alive. */
function letExit(child: ChildProcess): void {
  child.unref();
  for (const stream of child.stdio)
    if (stream && 'unref' in stream && typeof stream.unref === 'function') stream.unref();
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

/** Tries until it works; throws what the program wrote when it ends or stays silent for 30 s. */
export async function untilReady(server: GuardedServer, name: string, attempt: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    try {
      return await attempt();
    } catch (cause) {
      if (server.running() && Date.now() < deadline) {
        await new Promise((resolve) => setTimeout(resolve, 25));
        continue;
      }
      await server.stop();
      throw new Error(`${name} did not start: ${server.output().trim()}`, { cause });
    }
  }
}
