/** What the page knows about rows beyond the answers: which were just changed, which are being tested, what a test said. */
import { Store } from '../../session/store.ts';

const markMs = 2000;

/** Rows that changed a moment ago. */
export const markedRows = new Store<ReadonlySet<number>>(new Set());
/** Rows whose test is under way. */
export const testingRows = new Store<ReadonlySet<number>>(new Set());

export interface TestNote {
  readonly message: string;
  /** Unix seconds. */
  readonly at: number;
}

/** Tests that failed since the page was opened. */
export const failedTests = new Store<ReadonlyMap<number, TestNote>>(new Map());

function withMember(store: Store<ReadonlySet<number>>, id: number, isMember: boolean): void {
  const next = new Set(store.get());
  if (isMember) next.add(id);
  else next.delete(id);
  store.set(next);
}

/** Shows a row as changed for two seconds. */
export function markRow(id: number): void {
  withMember(markedRows, id, true);
  setTimeout(() => withMember(markedRows, id, false), markMs);
}

export function setTesting(id: number, isTesting: boolean): void {
  withMember(testingRows, id, isTesting);
}

/** Undefined after a success. */
export function noteTest(id: number, message: string | undefined): void {
  const next = new Map(failedTests.get());
  if (message === undefined) next.delete(id);
  else next.set(id, { message, at: Math.floor(Date.now() / 1000) });
  failedTests.set(next);
}
