/** A proxy that lets nothing through, and remembers where it was asked to lead. */
import { once } from 'node:events';
import { createServer } from 'node:http';

export interface RefusingProxy {
  readonly url: string;
  /** `host:port` of each tunnel that was asked for. */
  readonly asked: readonly string[];
  close(): void;
}

export async function startRefusingProxy(): Promise<RefusingProxy> {
  const asked: string[] = [];
  const server = createServer().on('connect', ({ url }, socket) => {
    asked.push(url ?? '');
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, asked, close: () => server.close() };
}
