/** Upstreams over WebSockets that answer by script: how one is opened, told what to say next, and what it remembers. */
import type { IncomingHttpHeaders } from 'node:http';
import type { WebSocket } from 'ws';
import { closingOf, type SocketServer, startSocketServer } from './socket-server.ts';

/** What is known of a question before anything of it was read. */
export interface OpenedSocket {
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  /** Resolves when the socket is closed, by whom ever. */
  readonly closed: Promise<void>;
  /** Bytes that wait here because the other end does not read. */
  unsent(): number;
}

export interface ScriptedSockets<Request, Script> extends SocketServer {
  readonly requests: Request[];
  script(next: Script): void;
}

/** Steps of every script: a pause, or an end without a word. */
export type Rest = { readonly waitMs: number } | { readonly end: 'close' | 'break' };

/** @param serve told of every socket that opens, with the script of the moment; keeps its question by `remember` */
export async function startScriptedSockets<Told extends object, Script>(
  first: Script,
  serve: (socket: WebSocket, script: Script, remember: (told: Told) => Told & OpenedSocket) => void,
): Promise<ScriptedSockets<Told & OpenedSocket, Script>> {
  const requests: (Told & OpenedSocket)[] = [];
  let script = first;
  const server = await startSocketServer((socket, { url = '', headers }) => {
    socket.on('error', () => undefined);
    const closed = closingOf(socket);
    serve(socket, script, (told) => {
      const opened = { url: new URL(url, 'ws://upstream'), headers, closed, unsent: () => socket.bufferedAmount };
      const request = Object.assign(told, opened);
      requests.push(request);
      return request;
    });
  });
  return {
    ...server,
    requests,
    script: (next) => {
      script = next;
    },
  };
}

/** Does what a step says. */
export async function rest(socket: WebSocket, step: Rest): Promise<void> {
  if ('waitMs' in step) await new Promise((resolve) => setTimeout(resolve, step.waitMs));
  else if (step.end === 'close') socket.close(1000);
  // What was sent must be on its way first.
  else setTimeout(() => socket.terminate(), 50);
}
