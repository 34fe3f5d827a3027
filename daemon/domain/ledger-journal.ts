/**
 * Where settlements wait while the database is away: files of one JSON line each, on this node's own disk, synced before
 * a settlement counts as safe. Replaying a line twice changes nothing, so a file is removed only after all its lines
 * are in the books.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Settlement } from './settlement.ts';

const JOURNAL = 'ledger-journal.ndjson';
const CLOSED_FORM = /^ledger-journal\.\d+-[0-9a-f]+\.ndjson$/;
const REJECTED = 'ledger-rejected.ndjson';

/** A file larger than this is closed and a new one begun, so that a replay never holds much in memory. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** What one journal file says. */
export interface JournalContent {
  readonly settlements: readonly Settlement[];
  /** Lines that are no settlement: the torn end of a crashed write, or damage. */
  readonly unreadable: readonly string[];
}

export class LedgerJournal {
  readonly #folder: string;
  /** File operations run one after another, so that no file is taken while it is being written. */
  #last: Promise<unknown> = Promise.resolve();

  /** @param folder the data folder; made when missing. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Keeps settlements until they are replayed; on disk when it returns. */
  append(settlements: readonly Settlement[]): Promise<void> {
    const lines = settlements.map((settlement) => JSON.stringify(settlement));
    return this.#exclusively(() => this.#append(JOURNAL, lines));
  }

  /** Puts a settlement that the database refuses aside, with the reason, for a person to look at. */
  reject(settlement: Settlement, cause: unknown): Promise<void> {
    const line = JSON.stringify({ cause: String(cause), settlement });
    return this.#exclusively(() => this.#append(REJECTED, [line]));
  }

  /** Keeps lines that are no settlement, for a person to look at. */
  rejectLines(lines: readonly string[]): Promise<void> {
    return this.#exclusively(() =>
      this.#append(
        REJECTED,
        lines.map((line) => JSON.stringify({ cause: 'no settlement', line })),
      ),
    );
  }

  /** Closes the current file and returns the paths of all that wait, oldest first. */
  takeFiles(): Promise<string[]> {
    return this.#exclusively(async () => {
      const names = await this.#list();
      if (names.includes(JOURNAL)) names.push(await this.#close());
      return names
        .filter((name) => CLOSED_FORM.test(name))
        .sort()
        .map((name) => join(this.#folder, name));
    });
  }

  /** Takes over what waits in a folder whose process is gone. */
  async adopt(folder: string): Promise<void> {
    const left = await new LedgerJournal(folder).takeFiles();
    if (left.length === 0) return;
    await mkdir(this.#folder, { recursive: true });
    for (const path of left) await rename(path, join(this.#folder, basename(path)));
    await syncFolder(this.#folder);
  }

  async read(path: string): Promise<JournalContent> {
    const settlements: Settlement[] = [];
    const unreadable: string[] = [];
    for (const line of (await readFile(path, 'utf8')).split('\n')) {
      if (line === '') continue;
      const settlement = parseLine(line);
      if (settlement) settlements.push(settlement);
      else unreadable.push(line);
    }
    return { settlements, unreadable };
  }

  /** Forgets a file whose lines are all in the books. */
  remove(path: string): Promise<void> {
    return unlink(path);
  }

  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Gives the current file a name of its own; names sort by age. */
  async #close(): Promise<string> {
    const name = `ledger-journal.${String(Date.now()).padStart(15, '0')}-${randomBytes(4).toString('hex')}.ndjson`;
    await rename(join(this.#folder, JOURNAL), join(this.#folder, name));
    return name;
  }

  async #list(): Promise<string[]> {
    try {
      return await readdir(this.#folder);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  async #append(name: string, lines: readonly string[]): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const path = join(this.#folder, name);
    const handle = await open(path, 'a', 0o600);
    try {
      const { size } = await handle.stat();
      // A torn last line of an earlier crash must not swallow the first of these.
      await handle.appendFile(`${size > 0 ? '\n' : ''}${lines.join('\n')}\n`);
      await handle.sync();
      if (size === 0) await syncFolder(this.#folder);
      if (size > MAX_FILE_BYTES && name === JOURNAL) await this.#close();
    } finally {
      await handle.close();
    }
  }
}

/** A file is only safe when the folder that names it is too. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function parseLine(line: string): Settlement | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isSettlement(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The journal is written by this program alone; this only tells whole lines from torn ones. */
function isSettlement(value: unknown): value is Settlement {
  return (
    typeof value === 'object' && value !== null && 'requestId' in value && 'nowSeconds' in value && 'rows' in value
  );
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
