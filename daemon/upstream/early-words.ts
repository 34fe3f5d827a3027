/**
 * Word that an upstream goes on reading (`100 Continue`), though nobody asked whether it will. HTTP says to pass over it
 * (RFC 9110, 15.2); undici breaks the connection (7.30, `client-h1.js`, read 2026-11), after the request was sent.
 * So it is taken out of what the socket hands on. Other heads of its kind (102, 103) undici passes over by itself.
 */
import type { Socket } from 'node:net';

const opening = Buffer.from('HTTP/1.1 100');
const headEnd = '\r\n\r\n';
/** A head without an end is handed on, so that undici complains of it. */
const LONGEST_HEAD = 16 * 1024;

/** Takes heads of status 100 out of what comes on this socket in answer to something written. */
export function passOverContinue(socket: Socket): Socket {
  const write = socket.write;
  const push = socket.push;
  /** Something was written, and nothing of its answer has come: only then is a head what looks like one. */
  let awaits = false;
  let held: Buffer | undefined;
  socket.write = (...parts: unknown[]): boolean => {
    awaits = true;
    return Reflect.apply(write, socket, parts);
  };
  socket.push = (chunk: Buffer | null): boolean => {
    if (!awaits) return push.call(socket, chunk);
    if (chunk === null) {
      if (held !== undefined) push.call(socket, held);
      held = undefined;
      return push.call(socket, null);
    }
    const begun = held === undefined ? chunk : Buffer.concat([held, chunk]);
    const rest = withoutContinue(begun);
    held = rest === undefined ? begun : undefined;
    if (rest === undefined || rest.length === 0) return true;
    awaits = false;
    return push.call(socket, rest);
  };
  return socket;
}

/** What follows the heads of status 100; undefined while the bytes may still become one. */
function withoutContinue(bytes: Buffer): Buffer | undefined {
  let rest = bytes;
  while (rest.length > 0) {
    const known = Math.min(rest.length, opening.length);
    if (rest.compare(opening, 0, known, 0, known) !== 0) return rest;
    const end = known < opening.length ? -1 : rest.indexOf(headEnd);
    if (end < 0) return rest.length > LONGEST_HEAD ? rest : undefined;
    rest = rest.subarray(end + headEnd.length);
  }
  return rest;
}
