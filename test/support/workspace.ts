/** Folders of a test's own, gone when it ends and at the latest when the process does. */
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Workspace {
  /** Absolute, empty at first. */
  readonly folder: string;
  /** A path inside the folder. */
  path(...parts: string[]): string;
  /** Removes the folder and all in it; harmless when called twice. */
  remove(): void;
}

const memoryFolder = '/dev/shm';
const roomNeeded = 4 * 1024 ** 3;

/** Where temporary data of tests is best kept: in memory where there is plenty, since disks make most tests wait. */
export function temporaryBase(): string {
  try {
    const { bavail, bsize } = statfsSync(memoryFolder);
    return bavail * bsize >= roomNeeded ? memoryFolder : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** What is left to remove at the end; one listener for all. */
class LeftOvers {
  readonly #folders = new Set<string>();

  constructor() {
    process.on('exit', () => {
      for (const folder of this.#folders) this.remove(folder);
    });
  }

  add(folder: string): void {
    this.#folders.add(folder);
  }

  remove(folder: string): void {
    this.#folders.delete(folder);
    // What ends beside the test may still be writing its last file there.
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}

const leftOvers = new LeftOvers();

/** Makes an empty folder. */
export function createWorkspace(): Workspace {
  const folder = mkdtempSync(join(temporaryBase(), 'tollgate-test-'));
  leftOvers.add(folder);
  return { folder, path: (...parts) => join(folder, ...parts), remove: () => leftOvers.remove(folder) };
}
