/** A file of a form: in memory while it is small, on disk once it is large; read as often as there are attempts. */
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { PieceList } from '../relay/framing/piece-list.ts';

/** What is larger leaves memory (relay.md 17.3). */
const MEMORY_BYTES = 1024 * 1024;

/** A complete file. */
export interface SpooledFile {
  readonly size: number;
  /** Bytes of it that lie in memory. */
  readonly heldBytes: number;
  open(): Readable;
  /** The whole file in memory, for upstreams that must be given it inline. */
  bytes(): Promise<Buffer>;
  /** Removes what lies on disk. */
  discard(): Promise<void>;
}

export interface Spool {
  /** Where large files go. */
  readonly folder: string;
  /** Sees the bytes as they pass. */
  readonly seen: (chunk: Buffer) => void;
}

/** Takes a file as it arrives. Rejects where it breaks off, or the disk does not take it; nothing of it is left then. */
export async function spool(source: Readable, { folder, seen }: Spool): Promise<SpooledFile> {
  const kept = new PieceList();
  let size = 0;
  let disk: { readonly path: string; readonly file: FileHandle } | undefined;
  try {
    for await (const chunk of source) {
      const bytes: Buffer = chunk;
      size += bytes.length;
      seen(bytes);
      if (disk === undefined) kept.push(bytes);
      else await disk.file.appendFile(bytes);
      if (disk !== undefined || size <= MEMORY_BYTES) continue;
      disk = await openDisk(folder);
      await disk.file.appendFile(kept.take());
    }
    if (disk === undefined) return new MemoryFile(kept.take());
    await disk.file.close();
    return new DiskFile(disk.path, size);
  } catch (error) {
    if (disk !== undefined) {
      await disk.file.close().catch(() => undefined);
      await rm(disk.path, { force: true });
    }
    throw error;
  }
}

/** Readable by this process alone. */
async function openDisk(folder: string): Promise<{ readonly path: string; readonly file: FileHandle }> {
  const path = join(folder, `tollgate-upload-${randomBytes(12).toString('hex')}`);
  return { path, file: await open(path, 'wx', 0o600) };
}

/** A file that is in memory already. */
export function inMemory(bytes: Buffer): SpooledFile {
  return new MemoryFile(bytes);
}

class MemoryFile implements SpooledFile {
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get size(): number {
    return this.#bytes.length;
  }

  get heldBytes(): number {
    return this.#bytes.length;
  }

  open(): Readable {
    return Readable.from([this.#bytes]);
  }

  bytes(): Promise<Buffer> {
    return Promise.resolve(this.#bytes);
  }

  discard(): Promise<void> {
    return Promise.resolve();
  }
}

class DiskFile implements SpooledFile {
  readonly #path: string;
  readonly size: number;
  readonly heldBytes = 0;

  constructor(path: string, size: number) {
    this.#path = path;
    this.size = size;
  }

  open(): Readable {
    return createReadStream(this.#path);
  }

  bytes(): Promise<Buffer> {
    return readFile(this.#path);
  }

  discard(): Promise<void> {
    return rm(this.#path, { force: true });
  }
}
