/** Requests that ask to go on in another protocol: WebSockets do, everything else is answered in this one. */
import type { IncomingMessage, Server } from 'node:http';
import type { UpgradeListener } from './routes/realtime.ts';

const wish = /^(?:connection|upgrade|http2-settings)$/i;

/**
 * Hands WebSockets to `sockets`, and reads other upgrades as if they had asked for none, as RFC 9110 7.8 lets a server do:
 * Java's client asks for HTTP/2 in its first request to every address without TLS.
 */
export function serveUpgrades(server: Server, sockets: UpgradeListener): void {
  server.on('upgrade', (request, socket, head) => {
    if (request.headers.upgrade?.toLowerCase() === 'websocket') {
      sockets(request, socket, head);
      return;
    }
    socket.unshift(Buffer.concat([headWithoutWish(request), head]));
    server.emit('connection', socket);
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
