/**
 * Word that comes before an answer: that an upstream goes on reading (`100 Continue`), though nobody asked whether it
 * will, or is at work (102, 103). HTTP says to pass over it (RFC 9110, 15.2); undici breaks the connection at a 100, after
 * the request was sent (7.30, `client-h1.js`, read 2026-11). So it is taken out of what the socket hands on, in whatever
 * order it comes: undici passes over the others by itself, but a 100 may follow them.
 */
import type { Socket } from 'node:net';

const opening = Buffer.from('HTTP/1.1 1');
/** An answer, not a word before it. */
const switching = Buffer.from('HTTP/1.1 101');
const headEnd = '\r\n\r\n';
/** A head without an end is handed on, so that undici complains of it. */
const LONGEST_HEAD = 16 * 1024;

/** Takes heads of early words out of what comes on this socket in answer to something written. */
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
    const rest = begun.subarray(lengthOfWords(begun));
    // What was passed over is not kept: an upstream may go on saying so for as long as it likes.
    held = mayBeWord(rest) ? rest : undefined;
    if (held !== undefined || rest.length === 0) return true;
    awaits = false;
    return push.call(socket, rest);
  };
  return socket;
}

/** Bytes of the whole heads at the beginning that are passed over. */
function lengthOfWords(bytes: Buffer): number {
  let at = 0;
  while (opensWord(bytes.subarray(at))) {
    const end = bytes.indexOf(headEnd, at);
    if (end < 0) break;
    at = end + headEnd.length;
  }
  return at;
}

/** Whether bytes without the end of a head may still become one that is passed over. */
function mayBeWord(bytes: Buffer): boolean {
  return bytes.length <= LONGEST_HEAD && opensWord(bytes);
}

function opensWord(bytes: Buffer): boolean {
  const switches = bytes.length >= switching.length && beginsAs(bytes, switching);
  return bytes.length > 0 && beginsAs(bytes, opening) && !switches;
}

/** Whether bytes are as these are, as far as both go. */
function beginsAs(bytes: Buffer, expected: Buffer): boolean {
  const known = Math.min(bytes.length, expected.length);
  return bytes.compare(expected, 0, known, 0, known) === 0;
}
