/** A private Redis server that keeps nothing on disk. */
import { mkdtempSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redisProgram } from './engine-programs.ts';
import { freePort, startGuarded, untilReady } from './guarded-server.ts';

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts a server on the given port, or a free one; ready when the promise resolves. */
export async function startRedis(options: { readonly port?: number } = {}): Promise<RedisServer> {
  const program = redisProgram();
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-redis-'));
  const port = options.port ?? (await freePort());
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
  const server = startGuarded({ command: [program, ...settings], folder, signal: 'TERM' });
  await untilReady(server, 'Redis', () => ping(port));
  return { url: `redis://127.0.0.1:${port}`, port, stop: server.stop };
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
