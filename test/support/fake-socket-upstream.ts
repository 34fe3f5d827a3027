/** An upstream that answers over WebSockets on a free loopback port: each connection is one question, answered by script. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Json } from '../../daemon/relay/json.ts';
import { closingOf, type SocketServer, startSocketServer } from './socket-server.ts';

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

export interface FakeSocketUpstream extends SocketServer {
  readonly requests: SocketRequest[];
  script(next: SocketAnswer): void;
}

export async function startFakeSocketUpstream(): Promise<FakeSocketUpstream> {
  const requests: SocketRequest[] = [];
  let answer: SocketAnswer = { frames: [] };
  const server = await startSocketServer((socket, { url = '', headers }) => {
    const closed = closingOf(socket);
    socket.once('message', (data) => {
      const frame: Json = JSON.parse(data.toString());
      requests.push({ url: new URL(url, 'ws://upstream'), headers, frame, closed });
      for (const told of answer.frames) socket.send(JSON.stringify(told));
      if (answer.end === 'break') setTimeout(() => socket.terminate(), 20);
      else if (answer.end !== 'hang') socket.close(1000);
    });
  });
  return {
    ...server,
    requests,
    script: (next) => {
      answer = next;
    },
  };
}
