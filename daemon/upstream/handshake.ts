/** Waits for a socket to open; what a server says instead of opening it is an answer like any other. */
import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { isExhaustion, TransportError } from './transport-error.ts';

export type Handshake =
  | { readonly kind: 'open'; readonly socket: WebSocket }
  | {
      readonly kind: 'refused';
      readonly status: number;
      /** Lower-case names. */
      readonly headers: Readonly<Record<string, string | undefined>>;
      readonly body: string;
    };

const MAX_REFUSAL_BYTES = 1024 * 1024;

/** The open socket, which is paused until somebody listens. Rejects with `TransportError`, `reset` where it is called off. */
export function shakeHands(socket: WebSocket, timeoutMs: number, calledOff: AbortSignal): Promise<Handshake> {
  return new Promise((resolve, reject) => {
    const fail = (error: TransportError) => {
      settled();
      socket.terminate();
      reject(error);
    };
    const callOff = () => fail(new TransportError('reset', true));
    const timer = setTimeout(() => fail(new TransportError('headers-timeout', true)), timeoutMs);
    const settled = () => {
      clearTimeout(timer);
      calledOff.removeEventListener('abort', callOff);
    };
    if (calledOff.aborted) queueMicrotask(callOff);
    else calledOff.addEventListener('abort', callOff);
    // The listener stays: a socket that breaks later must not end the process.
    socket.on('error', (error) =>
      fail(new TransportError(isExhaustion(error) ? 'exhausted' : 'connect', false, error)),
    );
    socket.once('open', () => {
      settled();
      // Frames that come before anybody listens would be lost.
      socket.pause();
      resolve({ kind: 'open', socket });
    });
    socket.once('unexpected-response', (_, answer) => {
      readRefusal(answer).then(
        (refused) => {
          settled();
          socket.terminate();
          resolve(refused);
        },
        (error: unknown) => fail(new TransportError('reset', true, error)),
      );
    });
  });
}

async function readRefusal(answer: IncomingMessage): Promise<Handshake> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer) {
    const piece: Buffer = chunk;
    bytes += piece.length;
    if (bytes <= MAX_REFUSAL_BYTES) chunks.push(piece);
  }
  const headers: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(answer.headers)) {
    headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return { kind: 'refused', status: answer.statusCode ?? 502, headers, body: Buffer.concat(chunks).toString('utf8') };
}
