/** Folders of a test's own, gone when it ends and at the latest when the process does. */
import { mkdtempSync, rmSync } from 'node:fs';
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

/** Makes an empty folder below the system's temporary folder. */
export function createWorkspace(): Workspace {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-test-'));
  const remove = () => {
    process.removeListener('exit', remove);
    rmSync(folder, { recursive: true, force: true });
  };
  process.on('exit', remove);
  return { folder, path: (...parts) => join(folder, ...parts), remove };
}
