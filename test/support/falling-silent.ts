/** A way to a server that falls silent when told: connections stay open, and nothing passes any more. */
import { connect, createServer, type Socket } from 'node:net';

export interface FallingSilent {
  /** Of the same server, by this way. */
  readonly url: string;
  fallSilent(): void;
  stop(): Promise<void>;
}

export async function startFallingSilent(serverUrl: string): Promise<FallingSilent> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let isSilent = false;
  const server = createServer((client) => {
    const onward = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, onward],
      [onward, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => void (isSilent || to.write(bytes)));
      from.on('error', () => from.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(serverUrl);
  const address = server.address();
  url.port = String(typeof address === 'object' && address !== null ? address.port : 0);
  return {
    url: url.href,
    fallSilent() {
      isSilent = true;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
