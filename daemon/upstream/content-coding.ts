/**
 * Undoes content encodings, in both directions of the relay: bodies that clients send and answers that upstreams send.
 */

import { Transform, type TransformCallback } from 'node:stream';
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
      return new EitherInflate();
    case 'br':
      return zlib.createBrotliDecompress();
    case 'zstd':
      return isFactory(zstdFactory) ? zstdFactory() : undefined;
    default:
      return undefined;
  }
}

/** Undoes `deflate` with the header of zlib, as the standard says, and without, as many mean it. */
class EitherInflate extends Transform {
  #inflate: zlib.Inflate | zlib.InflateRaw | undefined;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const [first] = chunk;
    if (first === undefined) done();
    else this.#opened(first).write(chunk, () => done());
  }

  override _flush(done: TransformCallback): void {
    if (this.#inflate === undefined) done();
    else this.#inflate.once('end', () => done()).end();
  }

  override _read(size: number): void {
    this.#inflate?.resume();
    super._read(size);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#inflate?.destroy();
    done(error);
  }

  /** The header names its method, which is 8; without one, these bits begin no block. */
  #opened(first: number): zlib.Inflate | zlib.InflateRaw {
    if (this.#inflate !== undefined) return this.#inflate;
    const inflate = (first & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw();
    inflate.on('data', (piece: Buffer) => {
      if (!this.push(piece)) inflate.pause();
    });
    inflate.on('error', (error) => this.destroy(error));
    this.#inflate = inflate;
    return inflate;
  }
}
