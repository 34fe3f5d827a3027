/**
 * Undoes content encodings, in both directions of the relay: bodies that clients send and answers that upstreams send.
 */

import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';

function isFactory(value: unknown): value is () => Transform {
  return typeof value === 'function';
}

/** zstd came with Node 22.15 and 23.8; on older runtimes it is an unknown encoding. */
const zstdFactory: unknown = Reflect.get(zlib, 'createZstdDecompress');

/** True when a `content-encoding` value means that the bytes are as they are. */
export function isIdentity(encoding: string | undefined): boolean {
  return encoding === undefined || encoding === '' || encoding === 'identity';
}

/** A stream that undoes one encoding; undefined when it is unknown. */
export function createDecoder(encoding: string): Transform | undefined {
  switch (encoding.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip();
    case 'deflate':
      return zlib.createInflate();
    case 'br':
      return zlib.createBrotliDecompress();
    case 'zstd':
      return isFactory(zstdFactory) ? zstdFactory() : undefined;
    default:
      return undefined;
  }
}
