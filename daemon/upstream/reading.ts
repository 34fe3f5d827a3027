/**
 * How sockets to upstreams are read. Node gives each read 64 kB of its own, cuts them down to what came and leaves the
 * rest to the allocator in pieces. Here all sockets are read into one room, since a read and its callback are one step,
 * and what came is copied to slabs that neighbours share: one allocation for many reads.
 */
import type { OnReadOpts, Socket } from 'node:net';

const LARGEST_PORTION = 64 * 1024;
const SMALLEST_PORTION = 8 * 1024;
/** Bytes that one read of each of the paused calls may bring, together, before portions get smaller. */
const PORTIONS_TOGETHER = 4 * 1024 * 1024;
/** Above that read-ahead a socket is not read on by itself. The HTTP client's default is four times as much. */
const READ_AHEAD = 16 * 1024;
const SLAB = 64 * 1024;
/** From here on bytes have a buffer to themselves, so that little of a slab is left unused. */
const ALONE_FROM = 32 * 1024;

/** What sockets are opened with to be read this way. */
export interface ReadOptions {
  readonly highWaterMark: number;
  readonly onread: OnReadOpts;
}

export class Reading {
  readonly options: ReadOptions;
  readonly #room = Buffer.allocUnsafeSlow(LARGEST_PORTION);
  #portion = this.#room;
  #paused = 0;
  #slab = Buffer.allocUnsafeSlow(SLAB);
  #used = 0;

  constructor() {
    const next = () => this.#portion;
    const keep = (length: number) => this.#keep(length);
    this.options = {
      highWaterMark: READ_AHEAD,
      onread: {
        buffer: next,
        // Node calls it as a method of the socket, which it does not promise; the transport's tests would notice.
        callback(this: Socket, length: number) {
          return this.push(keep(length));
        },
      },
    };
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
    while (bytes > SMALLEST_PORTION && bytes * this.#paused > PORTIONS_TOGETHER) bytes /= 2;
    if (bytes !== this.#portion.length) this.#portion = this.#room.subarray(0, bytes);
  }

  /** A copy of the first bytes of the room. */
  #keep(length: number): Buffer {
    if (length >= ALONE_FROM) {
      const alone = Buffer.allocUnsafeSlow(length);
      this.#room.copy(alone, 0, 0, length);
      return alone;
    }
    if (this.#used + length > SLAB) {
      this.#slab = Buffer.allocUnsafeSlow(SLAB);
      this.#used = 0;
    }
    const kept = this.#slab.subarray(this.#used, this.#used + length);
    this.#room.copy(kept, 0, 0, length);
    this.#used += length;
    return kept;
  }
}
