/**
 * What is said and heard on an upstream's socket where one frame neither asks nor answers all: the first frame is the
 * request's body, and each frame that comes decides what is sent next and what reaches the reader of the answer. Pure.
 */

/** One conversation; made anew for each attempt. */
export interface SocketTalk {
  /** A frame of the upstream's, as it came. */
  hear(frame: Buffer, kind: 'text' | 'binary'): SocketTurn;
}

/** What follows from one frame. */
export interface SocketTurn {
  /** Frames to send, in order; each is asked for when the one before it has left. A buffer goes as binary. */
  readonly say?: Iterable<string | Buffer>;
  /** Set once, and no later than the first `tell`: what the answer is. */
  readonly contentType?: string;
  /** Bytes of the answer. */
  readonly tell?: Buffer;
  /** Set with the last frame: what comes after it is not read, and a socket that closes before it broke. */
  readonly end?: true;
}
