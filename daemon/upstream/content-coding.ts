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

/** Codings that one body may have been put through; whoever names more is not taken at its word. */
const MOST_CODINGS = 4;

/**
 * A stream that undoes a `content-encoding`, which names codings in the order in which they were applied (RFC 9110 8.4);
 * undefined where one of them is unknown.
 */
export function createDecoder(encoding: string): Transform | undefined {
  const names = encoding.split(',').map((name) => name.trim().toLowerCase());
  const applied = names.filter((name) => !isIdentity(name));
  if (applied.length > MOST_CODINGS) return undefined;
  const stages: Transform[] = [];
  for (const name of applied.reverse()) {
    const stage = decoderOf(name);
    if (stage === undefined) return undefined;
    stages.push(stage);
  }
  const [only] = stages;
  return stages.length === 1 ? only : new Stages(() => stages);
}

function decoderOf(name: string): Transform | undefined {
  switch (name) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip();
    case 'deflate':
      return new Stages((first) => [inflateFor(first)]);
    case 'br':
      return zlib.createBrotliDecompress();
    case 'zstd':
      return isFactory(zstdFactory) ? zstdFactory() : undefined;
    default:
      return undefined;
  }
}

/** `deflate` with the header of zlib, as the standard says, and without, as many mean it. */
function inflateFor(first: number): Transform {
  // The header names its method, which is 8; without one, these bits begin no block.
  return (first & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw();
}

/** Streams one behind the other, as one; none means that the bytes are as they are. */
class Stages extends Transform {
  readonly #stagesFor: (first: number) => readonly Transform[];
  #stages: readonly Transform[] | undefined;

  /** `stagesFor` is asked with the first byte. */
  constructor(stagesFor: (first: number) => readonly Transform[]) {
    super();
    this.#stagesFor = stagesFor;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const [first] = chunk;
    if (first === undefined) {
      done();
      return;
    }
    const entry = this.#opened(first).at(0);
    if (entry === undefined) done(null, chunk);
    else entry.write(chunk, () => done());
  }

  override _flush(done: TransformCallback): void {
    const last = this.#stages?.at(-1);
    // Where bytes follow those of a coding, its end has been heard before that of the body.
    if (last === undefined || last.readableEnded) {
      done();
      return;
    }
    last.once('end', () => done());
    this.#stages?.at(0)?.end();
  }

  override _read(size: number): void {
    this.#stages?.at(-1)?.resume();
    super._read(size);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    for (const stage of this.#stages ?? []) stage.destroy();
    done(error);
  }

  #opened(first: number): readonly Transform[] {
    if (this.#stages !== undefined) return this.#stages;
    const stages = this.#stagesFor(first);
    for (const [index, stage] of stages.entries()) {
      stage.on('error', (error) => this.destroy(error));
      const next = stages[index + 1];
      if (next !== undefined) stage.pipe(next);
    }
    const last = stages.at(-1);
    last?.on('data', (piece: Buffer) => {
      if (!this.push(piece)) last.pause();
    });
    this.#stages = stages;
    return stages;
  }
}
