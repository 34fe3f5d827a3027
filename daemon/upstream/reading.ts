/**
 * How sockets to upstreams are read. Node gives each read 64 kB of its own, cuts them down to what came and leaves the
 * rest to the allocator in pieces. Here all sockets are read into one room, since a read and its callback are one step,
 * and what came is copied to a buffer of just its size. Not one for several reads: whoever keeps a piece of it for long
 * would keep all of it, other people's answers included.
 */
import type { OnReadOpts, Socket } from 'node:net';

const LARGEST_PORTION = 64 * 1024;
const SMALLEST_PORTION = 8 * 1024;
/** Bytes that one read of each of the paused calls may bring, together, before portions get smaller. */
const PORTIONS_TOGETHER = 4 * 1024 * 1024;
/** Above that read-ahead a socket is not read on by itself; with less, whole answers are read in turns. */
const READ_AHEAD = 64 * 1024;

/** What sockets are opened with to be read this way. */
export interface ReadOptions {
  readonly highWaterMark: number;
  /** Absent where each read has room of its own. */
  readonly onread?: OnReadOpts;
}

export class Reading {
  readonly options: ReadOptions;
  readonly #room = Buffer.allocUnsafeSlow(LARGEST_PORTION);
  readonly #smallest: number;
  #portion = this.#room;
  #paused = 0;

  /** @param rooms `own`: as Node reads, always the largest portion, because sockets cannot share one or are not ours */
  constructor(rooms: 'shared' | 'own') {
    this.#smallest = rooms === 'own' ? LARGEST_PORTION : SMALLEST_PORTION;
    const next = () => this.#portion;
    const room = this.#room;
    const onread = {
      buffer: next,
      // Node calls it as a method of the socket, which it does not promise; the transport's tests would notice.
      callback(this: Socket, length: number) {
        const kept = Buffer.allocUnsafeSlow(length);
        room.copy(kept, 0, 0, length);
        return this.push(kept);
      },
    };
    this.options = { highWaterMark: READ_AHEAD, ...(rooms === 'own' ? {} : { onread }) };
  }

  /** Bytes that one read brings at most; small while many clients are slow, since each read is held back for one. */
  get portionBytes(): number {
    return this.#portion.length;
  }

  /** A call is paused: its upstream is read once more, and no further. */
  pause(): void {
    this.#paused += 1;
    this.#fit();
  }

  /** A call that was paused goes on or is over. */
  resume(): void {
    this.#paused -= 1;
    this.#fit();
  }

  #fit(): void {
    let bytes = LARGEST_PORTION;
    while (bytes > this.#smallest && bytes * this.#paused > PORTIONS_TOGETHER) bytes /= 2;
    if (bytes !== this.#portion.length) this.#portion = this.#room.subarray(0, bytes);
  }
}
