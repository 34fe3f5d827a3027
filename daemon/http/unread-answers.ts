/** Answers that their clients do not read (relay.md 17.4). */
import type { Server, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';

/** What is smaller lies with the network for the most part. */
const SMALL_BYTES = 64 * 1024;

/**
 * Breaks the connection of a client that takes nothing of the rest of its answer for so long: nobody else watches an
 * answer that has ended, nor a file that is made as it is read, and both would stay for as long as the client does.
 */
export function limitUnreadAnswers(server: Server, limitMs: number): void {
  function watchEnded(this: ServerResponse): void {
    // Node takes what is still read for activity, and sets the time anew once all is sent.
    if (this.writableLength > SMALL_BYTES) this.socket?.setTimeout(limitMs);
  }
  function watchMade(this: ServerResponse, source: Readable): void {
    // While the next part is made it is not the client who is late.
    source.on('pause', () => this.socket?.setTimeout(limitMs)).on('resume', () => this.socket?.setTimeout(0));
  }
  // Ahead of whoever answers at once.
  server.prependListener('request', (_, response) => response.once('prefinish', watchEnded).once('pipe', watchMade));
}
