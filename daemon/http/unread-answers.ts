/** Answers that are made and given out, and that their clients do not read (relay.md 17.4). */
import type { Server, ServerResponse } from 'node:http';

/** What is smaller lies with the network for the most part. */
const SMALL_BYTES = 64 * 1024;

/**
 * Breaks the connection of a client that takes nothing of the rest of its answer for so long: nobody else watches an
 * answer that has ended, and its bytes would stay in memory for as long as the client does.
 */
export function limitUnreadAnswers(server: Server, limitMs: number): void {
  function watch(this: ServerResponse): void {
    // Node takes what is still read for activity, and sets the time anew once all is sent.
    if (this.writableLength > SMALL_BYTES) this.socket?.setTimeout(limitMs);
  }
  // Ahead of whoever answers at once.
  server.prependListener('request', (_, response) => response.once('prefinish', watch));
}
