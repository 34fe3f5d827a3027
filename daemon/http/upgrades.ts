/** Requests that ask to go on in another protocol: WebSockets do, everything else is answered in this one. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { UpgradeListener } from './routes/realtime.ts';

const wish = /^(?:connection|upgrade|http2-settings)$/i;

/**
 * Hands WebSockets to `sockets`, and reads other upgrades as if they had asked for none, as RFC 9110 7.8 lets a server do:
 * Java's client asks for HTTP/2 in its first request to every address without TLS.
 */
export function serveUpgrades(server: Server, sockets: UpgradeListener): void {
  server.on('upgrade', (request, socket, head) => {
    inTurn(socket, () => {
      if (request.headers.upgrade?.toLowerCase() === 'websocket') {
        sockets(request, socket, head);
        return;
      }
      socket.unshift(Buffer.concat([headWithoutWish(request), head]));
      server.emit('connection', socket);
    });
  });
}

/** Goes on once the requests before this one on its connection are answered (RFC 9112 9.3.2): Node hands it on at once. */
function inTurn(socket: Duplex & { readonly _httpMessage?: ServerResponse | null }, goOn: () => void): void {
  const before = socket._httpMessage;
  if (!before) {
    goOn();
    return;
  }
  // Node no longer listens to the connection for that answer.
  const drained = () => before.emit('drain');
  const broken = () => socket.destroy();
  socket.on('drain', drained).on('error', broken);
  before.once('close', () => {
    socket.off('drain', drained).off('error', broken);
    // The time that a connection may rest began with the answer's end.
    if (socket instanceof Socket) socket.setTimeout(0);
    if (!socket.destroyed) inTurn(socket, goOn);
  });
}

function headWithoutWish({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (!wish.test(name)) lines.push(`${name}: ${rawHeaders[at + 1]}`);
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}
