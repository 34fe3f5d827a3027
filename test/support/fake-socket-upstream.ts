/** An upstream that answers over WebSockets on a free loopback port: each connection is one question, answered by script. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Json } from '../../daemon/relay/json.ts';

export interface SocketRequest {
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly frame: Json;
  /** Resolves when the socket is closed, by whom ever. */
  readonly closed: Promise<void>;
}

export interface SocketAnswer {
  readonly frames: readonly Json[];
  /** After the last frame; default `close`. */
  readonly end?: 'close' | 'break' | 'hang';
}

export interface FakeSocketUpstream {
  /** `http:` address. */
  readonly url: string;
  readonly requests: SocketRequest[];
  script(next: SocketAnswer): void;
  /** Handshakes are refused with this status from now on; undefined: accepted again. */
  refuse(status: number | undefined, body?: Json): void;
  close(): Promise<void>;
}

export async function startFakeSocketUpstream(): Promise<FakeSocketUpstream> {
  const requests: SocketRequest[] = [];
  let answer: SocketAnswer = { frames: [] };
  let refusal: { status: number; body: Json } | undefined;
  const server = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, stream, head) => {
    if (refusal === undefined) {
      sockets.handleUpgrade(request, stream, head, (socket) => serve(socket, request.url ?? '', request.headers));
      return;
    }
    const text = JSON.stringify(refusal.body);
    const lines = [`HTTP/1.1 ${refusal.status} Refused`, 'content-type: application/json', 'connection: close'];
    stream.end(`${lines.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  });
  const serve = (socket: WebSocket, path: string, headers: IncomingHttpHeaders) => {
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.once('message', (data) => {
      const frame: Json = JSON.parse(data.toString());
      requests.push({ url: new URL(path, 'ws://upstream'), headers, frame, closed });
      for (const told of answer.frames) socket.send(JSON.stringify(told));
      if (answer.end === 'break') setTimeout(() => socket.terminate(), 20);
      else if (answer.end !== 'hang') socket.close(1000);
    });
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    script: (next) => {
      answer = next;
    },
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
