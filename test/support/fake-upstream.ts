/**
 * An upstream on a free loopback port that answers by script: delays, splits, errors, cuts.
 * It records every request as it arrived, so that tests can look at bytes and headers.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { someTurns, until } from './until.ts';

export interface RecordedRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Resolves when the connection that carried the answer closed before its end. */
  aborted: Promise<void>;
}

/** One scripted answer. */
export interface Answer {
  /** Default 200. */
  status?: number;
  headers?: Record<string, string>;
  /** Sent piece by piece; each piece is one write. */
  chunks?: readonly (string | Buffer)[];
  /** Before the status line. */
  headersAfterMs?: number;
  /** Between pieces. */
  pauseMs?: number;
  /** Asked before every further piece, which waits for it. */
  goOn?: () => Promise<void>;
  /** What happens after the last piece: a clean end, a reset connection, or silence. */
  end?: 'clean' | 'reset' | 'hang';
}

export type Script = Answer | ((request: RecordedRequest, index: number) => Answer | Promise<Answer>);

export interface FakeUpstream {
  readonly url: string;
  readonly requests: RecordedRequest[];
  /** Answers in progress. */
  readonly open: () => number;
  /** Connections that are open, used or not. */
  readonly connections: () => Promise<number>;
  /** Replaces the script for requests that arrive from now on. */
  script(next: Script): void;
  close(): Promise<void>;
}

/** A JSON answer. */
export function jsonAnswer(body: unknown, status = 200, headers: Record<string, string> = {}): Answer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, chunks: [JSON.stringify(body)] };
}

/** An event stream; each entry becomes one `data:` event, strings stay as they are. */
export function sseAnswer(events: readonly unknown[], rest: Omit<Answer, 'chunks'> = {}): Answer {
  return {
    headers: { 'content-type': 'text/event-stream' },
    ...rest,
    chunks: events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`),
  };
}

/**
 * The answer to one of so many requests: it comes when all others have been answered, or called off, and had time to be
 * read. It may have been called off itself by then.
 */
export async function answerLast(upstream: FakeUpstream, requests: number, answer: Answer): Promise<Answer> {
  await until(() => upstream.requests.length >= requests && upstream.open() <= 1);
  await someTurns();
  return answer;
}

async function play(answer: Answer, response: ServerResponse, socket: Socket): Promise<void> {
  if (answer.headersAfterMs) await sleep(answer.headersAfterMs);
  const chunks = answer.chunks ?? [];
  const ending = answer.end ?? 'clean';
  if (ending === 'reset' && chunks.length === 0 && answer.status === undefined) {
    socket.resetAndDestroy();
    return;
  }
  response.writeHead(answer.status ?? 200, answer.headers);
  response.flushHeaders();
  for (const [index, chunk] of chunks.entries()) {
    if (index > 0 && answer.pauseMs) await sleep(answer.pauseMs);
    if (index > 0) await answer.goOn?.();
    if (response.destroyed) return;
    if (!response.write(chunk)) await drained(response);
  }
  if (ending === 'clean') response.end();
  // A reset right after a write could overtake the bytes on their way out of this process.
  else if (ending === 'reset') setTimeout(() => socket.resetAndDestroy(), 20);
}

/** Resolves when the response takes bytes again, or never will. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}

/** Starts an upstream; without a script it answers 500. */
export async function startFakeUpstream(first: Script = { status: 500 }): Promise<FakeUpstream> {
  let script = first;
  let open = 0;
  const requests: RecordedRequest[] = [];
  const server = createServer((request, response) => {
    const body: Buffer[] = [];
    request.on('data', (chunk: Buffer) => body.push(chunk));
    request.on('end', () => {
      open += 1;
      const aborted = new Promise<void>((resolve) => {
        response.once('close', () => {
          open -= 1;
          if (!response.writableFinished) resolve();
        });
      });
      const recorded: RecordedRequest = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(body),
        aborted,
      };
      requests.push(recorded);
      const answer = typeof script === 'function' ? script(recorded, requests.length - 1) : script;
      Promise.resolve(answer)
        .then((known) => play(known, response, request.socket))
        .catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
    });
    request.on('error', () => response.destroy());
    response.on('error', () => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the fake upstream has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    open: () => open,
    connections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
      ),
    script(next) {
      script = next;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
