/** A private Redis server that keeps nothing on disk. */
import { mkdtempSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redisProgram } from './engine-programs.ts';
import { freePort, startGuarded, untilReady } from './guarded-server.ts';

export interface RedisServer {
  readonly url: string;
  /** Ends the server and all it knew; nothing listens when the promise resolves. */
  crash(): Promise<void>;
  /** Starts it again, empty, on the same port. */
  resume(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a server on a free port; ready when the promise resolves. It ends with this process at the latest. */
export async function startRedis(): Promise<RedisServer> {
  const program = redisProgram();
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-redis-'));
  const port = await freePort();
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
  const server = startGuarded({ command: [program, ...settings], folder, signal: 'TERM' });
  const ready = () => untilReady(server, 'Redis', () => ping(port));
  await ready();
  return {
    url: `redis://127.0.0.1:${port}`,
    crash: server.halt,
    async resume() {
      server.resume();
      await ready();
    },
    stop: server.stop,
  };
}

function ping(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.setTimeout(1000, () => socket.destroy(new Error('no answer in a second')));
    socket.once('error', reject);
    socket.once('connect', () => socket.write('PING\r\n'));
    socket.once('data', (answer) => {
      socket.destroy();
      if (answer.toString().startsWith('+PONG')) resolve();
      else reject(new Error(answer.toString()));
    });
  });
}
