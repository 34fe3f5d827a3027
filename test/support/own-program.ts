/** Programs of the tests' own that run in processes of their own: from the runner's bundle, or by hand from their sources. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** By their paths from the project's folder. */
export const ownPrograms = ['test/ledger/crash-worker.ts', 'test/store/migrate-process.ts'] as const;

export interface OwnProgram {
  readonly program: string;
  /** What Node is given before it. */
  readonly execArgv: string[];
}

export function ownProgram(source: (typeof ownPrograms)[number]): OwnProgram {
  const { TEST_BUNDLE: bundle } = process.env;
  return bundle === undefined
    ? { program: join(root, source), execArgv: ['--import', 'tsx'] }
    : { program: join(bundle, root, source.replace(/\.ts$/, '.js')), execArgv: [] };
}
