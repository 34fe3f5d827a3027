/** How the listener reads connections (relay.md 17.4). */
import type { ServerOptions } from 'node:http';

export const serverOptions: Readonly<ServerOptions> = {
  // Bodies have limits of their own, 300 s at most (17.3). This one is for who was refused, and goes on sending his body
  // a byte at a time: until it is whole, nothing else ends the connection. It does not look at answers.
  requestTimeout: 330_000,
  headersTimeout: 60_000,
  // How often Node looks for those who are late; by itself it would leave them half a minute more.
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 75_000,
  maxHeaderSize: 64 * 1024,
  noDelay: true,
  // What waits for a slow client before its upstream is paused. Node 22 made it four times as much.
  highWaterMark: 16 * 1024,
  // Who names none is refused in our own words (`unreadable-requests.ts`), with a request id.
  requireHostHeader: false,
  // Node drops the second of two `Authorization` headers unseen; two different keys are refused, not chosen between.
  joinDuplicateHeaders: true,
};
