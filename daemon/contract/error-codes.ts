/**
 * Every stable error code: its kind, its texts in both languages, and a status where a contract page pins one.
 * `{name}` in a text is replaced by the parameter of that name.
 */

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

const define = <const T extends Record<string, ErrorEntry>>(table: T): T => table;

export const errorCodes = define({
  internal_error: { kind: 'bug', en: 'Internal server error', zh: '服务器内部错误' },
});

export type ErrorCode = keyof typeof errorCodes;

/** Kind of a code. */
export function errorKind(code: ErrorCode): ErrorKind {
  return errorCodes[code].kind;
}
