/**
 * The file around the lines of a backup: gzip, and around that, where there is a passphrase, the age format
 * (age-encryption.org: scrypt, then ChaCha20-Poly1305 piece by piece). So `age -d FILE | zcat` reads it as well.
 */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { Decrypter, Encrypter } from 'age-encryption';
import { backupReasons } from '../contract/backup-reasons.ts';
import { TollgateError } from '../errors.ts';
import { damaged } from './archive-lines.ts';

/** 2^17 rounds, 128 MB and most of a second for each guess: the published minimum for scrypt. */
export const WORK_FACTOR = 17;
/** Half of the time of the default for a tenth more bytes. */
const COMPRESSION_LEVEL = 4;
const READ_BYTES = 256 * 1024;
const AGE_BEGINNING = 'age-encryption.org/';
const GZIP_BEGINNING = '\x1f\x8b';

/** What a file is encrypted under. */
export interface Lock {
  readonly passphrase: string;
  /** Rounds of scrypt as a power of two. */
  readonly workFactor: number;
}

/** The bytes of the file for its lines; open to everybody without a lock. */
export async function* packed(lines: AsyncIterable<string>, lock: Lock | undefined): AsyncGenerator<Uint8Array> {
  const zipped = through(lines, createGzip({ level: COMPRESSION_LEVEL }));
  if (lock === undefined) {
    yield* zipped;
    return;
  }
  const encrypter = new Encrypter();
  encrypter.setPassphrase(lock.passphrase);
  encrypter.setScryptWorkFactor(lock.workFactor);
  yield* await encrypter.encrypt(streamOf(zipped));
}

export interface Reading {
  readonly passphrase: string | undefined;
  /** Shown every piece of the file itself. */
  readonly onPiece: (piece: Uint8Array) => void;
}

/**
 * The bytes of the lines in a file. Throws `backup_passphrase_missing`, `backup_passphrase_wrong`, `backup_damaged`, and
 * what the system says of a file that cannot be read.
 */
export async function* unpacked(file: string, { passphrase, onPiece }: Reading): AsyncGenerator<Uint8Array> {
  const isEncrypted = await beginsAsAge(file);
  if (isEncrypted && passphrase === undefined) throw new TollgateError('backup_passphrase_missing');
  const stored = createReadStream(file, { highWaterMark: READ_BYTES });
  try {
    const pieces = shown(stored, onPiece);
    const zipped = isEncrypted && passphrase !== undefined ? await decrypted(pieces, passphrase) : pieces;
    yield* through(zipped, createGunzip());
  } catch (error) {
    throw error instanceof TollgateError || isOfSystem(error) ? error : damaged(reasonOf(error));
  } finally {
    stored.destroy();
  }
}

async function* shown(
  pieces: AsyncIterable<Uint8Array>,
  onPiece: (piece: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    onPiece(piece);
    yield piece;
  }
}

async function decrypted(stored: AsyncIterable<Uint8Array>, passphrase: string): Promise<AsyncIterable<Uint8Array>> {
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  try {
    return await decrypter.decrypt(streamOf(stored));
  } catch (error) {
    // The one thing that the library says of a passphrase that does not fit.
    if (error instanceof Error && error.message.startsWith('no identity matched')) {
      throw new TollgateError('backup_passphrase_wrong');
    }
    throw error;
  }
}

/** As the library takes it: a piece at a time, as they are wanted. */
function streamOf(source: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const pieces = source[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await pieces.return?.();
    },
  });
}

/** Whatever comes goes through; a failure of either side ends both. */
async function* through(
  source: AsyncIterable<string | Uint8Array>,
  transform: ReturnType<typeof createGzip> | ReturnType<typeof createGunzip>,
): AsyncGenerator<Uint8Array> {
  const input = Readable.from(source, { objectMode: false });
  input.on('error', (error) => transform.destroy(error));
  try {
    yield* input.pipe(transform);
  } finally {
    input.destroy();
    transform.destroy();
  }
}

/** Throws `backup_damaged` for what begins neither as an encrypted backup nor as an open one. */
async function beginsAsAge(file: string): Promise<boolean> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(AGE_BEGINNING.length), 0, AGE_BEGINNING.length, 0);
    const beginning = buffer.toString('latin1', 0, bytesRead);
    if (beginning === AGE_BEGINNING) return true;
    if (beginning.startsWith(GZIP_BEGINNING)) return false;
    throw damaged(backupReasons.stranger);
  } finally {
    await handle.close();
  }
}

function isOfSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

/** What the libraries say is about their own formats: nobody knows from "invalid tag" what became of a file. */
function reasonOf(error: unknown): string {
  const isCut = error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR';
  return isCut ? backupReasons.cut : backupReasons.spoilt;
}
