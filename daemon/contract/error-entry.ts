/** What one line of the error tables holds. */

/** Decides the HTTP status (once per surface, in `http/render-failure.ts`) and the CLI's exit code. */
export type ErrorKind =
  | 'refusal'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'rate-limited'
  | 'too-large'
  | 'upstream'
  | 'unavailable'
  | 'cancelled'
  | 'bug';

export interface ErrorEntry {
  kind: ErrorKind;
  en: string;
  zh: string;
  /** Only where a contract page pins a status that the kind does not give: on the management API, on the relay. */
  status?: { management?: number; relay?: number };
}

/** Keeps the literal codes of a table while checking its entries. */
export const define = <const T extends Record<string, ErrorEntry>>(table: T): T => table;
