/**
 * The file of `--out`: opened before anything is asked of the server, so that a result is not made which then has
 * nowhere to go, and put into its place when it is whole.
 */
import { randomBytes } from 'node:crypto';
import { type FileHandle, lstat, open, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { localError, notWritten, usageError } from '../errors.ts';
import { both } from '../language.ts';
import { type Output, ReaderGone } from '../streams.ts';

export interface ResultFileWish {
  readonly force: boolean;
  /** The flag that named the file; `--out` when undefined. */
  readonly flag?: string | undefined;
}

export class ResultFile implements Output {
  readonly #path: string;
  /** Where it is written until it is whole; undefined for devices and pipes, which nothing may replace. */
  readonly #temporary: string | undefined;
  readonly #file: FileHandle;
  /** The flag that named it. */
  readonly #flag: string;
  /** Whether something was written, and whether all of it is a result. */
  #state: 'untouched' | 'begun' | 'whole' = 'untouched';

  private constructor(place: { path: string; temporary: string | undefined; flag: string }, file: FileHandle) {
    this.#path = place.path;
    this.#temporary = place.temporary;
    this.#flag = place.flag;
    this.#file = file;
  }

  /** Throws exit 12 for a place that cannot be written, or holds something already that `force` does not let go. */
  static async open(path: string, { force, flag = '--out' }: ResultFileWish): Promise<ResultFile> {
    if (path === '') throw usageError(both(`${flag} needs a file`, `${flag} 需要文件名`), { field: flag });
    const isThere = (await lstat(path).catch(() => undefined)) !== undefined;
    if (isThere && !force) {
      const hint = both('add --force', '请加上 --force');
      throw localError(both(`${path} exists`, `${path} 已存在`), { field: flag, hint });
    }
    const found = await stat(path).catch(() => undefined);
    const isDevice = found !== undefined && !found.isFile() && !found.isDirectory();
    const place = isThere && !isDevice ? await behindLinks(path) : path;
    // In a container every run has the same number, and one that was killed has left its file behind.
    const temporary = isDevice ? undefined : `${place}.${randomBytes(4).toString('hex')}.part`;
    try {
      if (found?.isDirectory()) throw new Error('is a directory');
      const file = await (temporary === undefined ? open(path, 'w') : open(temporary, 'wx', 0o600));
      return new ResultFile({ path: place, temporary, flag }, file);
    } catch (cause) {
      throw notWritten(path, { field: flag, cause });
    }
  }

  /** Throws `ReaderGone` where it is a pipe whose reader has left, as one on standard output does. */
  async write(content: string | Uint8Array): Promise<void> {
    this.#state = 'begun';
    await this.#file.writeFile(content).catch((cause: NodeJS.ErrnoException) => {
      throw cause.code === 'EPIPE' ? new ReaderGone() : this.#notWritten(cause);
    });
  }

  done(): void {
    this.#state = 'whole';
  }

  #notWritten(cause: unknown): Error {
    return notWritten(this.#path, { field: this.#flag, cause });
  }

  /** Puts a whole result into its place; anything else is removed. */
  async close(): Promise<void> {
    const isWhole = this.#state === 'whole';
    try {
      // A name that outlives a power cut without its content would stand where the last good result stood.
      if (isWhole && this.#temporary !== undefined) await this.#file.sync();
      await this.#file.close();
      if (isWhole && this.#temporary !== undefined) await rename(this.#temporary, this.#path);
    } catch (cause) {
      throw this.#notWritten(cause);
    } finally {
      if (this.#temporary !== undefined) await rm(this.#temporary, { force: true });
    }
  }
}

/** Where a link leads: what stands there gets the result, as a shell's `>` would have it, and the link stays. */
export async function behindLinks(path: string): Promise<string> {
  return realpath(path).catch(async () => {
    const next = await readlink(path).catch(() => undefined);
    return next === undefined ? path : resolve(dirname(path), next);
  });
}
