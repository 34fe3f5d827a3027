/** Brings the sums of the log up to date, a portion of rows at a time, so that settlements wait for milliseconds only. */
import type { Database } from '../store/database.ts';

export interface LogFoldingDeps {
  readonly database: Database;
  /** Unix seconds. */
  readonly nowSeconds: () => number;
}

/** Rows of one transaction. */
const portion = 2000;

/** Folds in what was there at the last call; rows since then wait for the next. */
export async function foldLogSums({ database, nowSeconds }: LogFoldingDeps, signal: AbortSignal): Promise<void> {
  if (!(await database.stores.logSums.mark(nowSeconds()))) return;
  while (!signal.aborted && (await database.transaction((stores) => stores.logSums.fold(portion))));
  await database.stores.logSums.mark(nowSeconds());
}
