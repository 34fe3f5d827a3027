/** A server of WebSockets on a free loopback port, whose handshakes may be refused. */
import { createServer, type IncomingMessage } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Json } from '../../daemon/relay/json.ts';

export interface SocketServer {
  /** `http:` address. */
  readonly url: string;
  /** Handshakes are refused with this status from now on; undefined: accepted again. */
  refuse(status: number | undefined, body?: Json): void;
  close(): Promise<void>;
}

/** @param serve told of every socket that opens */
export async function startSocketServer(
  serve: (socket: WebSocket, request: IncomingMessage) => void,
): Promise<SocketServer> {
  let refusal: { status: number; body: Json } | undefined;
  const server = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, stream, head) => {
    if (refusal === undefined) {
      sockets.handleUpgrade(request, stream, head, (socket) => serve(socket, request));
      return;
    }
    const text = JSON.stringify(refusal.body);
    const lines = [`HTTP/1.1 ${refusal.status} Refused`, 'content-type: application/json', 'connection: close'];
    stream.end(`${lines.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    refuse: (status, body = {}) => {
      refusal = status === undefined ? undefined : { status, body };
    },
    close: async () => {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Resolves when the socket is closed, by whom ever. */
export function closingOf(socket: WebSocket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}
