/** How a call breaks. */

export type TransportErrorKind =
  | 'refused-address'
  | 'invalid-request'
  | 'connect'
  /** The node itself has no file, or no memory, for another connection. */
  | 'exhausted'
  | 'reset'
  | 'undecodable'
  | 'headers-timeout'
  | 'first-token-timeout'
  | 'idle-timeout'
  | 'total-timeout';

/** A call that broke. Its cause may name hosts: for operators only. */
export class TransportError extends Error {
  readonly kind: TransportErrorKind;
  /** False only when certainly no byte of the request was written. */
  readonly requestWritten: boolean;

  constructor(kind: TransportErrorKind, requestWritten: boolean, cause?: unknown) {
    super(kind, cause === undefined ? undefined : { cause });
    this.name = 'TransportError';
    this.kind = kind;
    this.requestWritten = requestWritten;
  }
}

/** What systems call it. Ports are left out: they run out for one upstream, and another may be reached. */
const exhaustion = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM']);

/** True where no connection could be made for want of the node's own means: that says nothing of the upstream. */
export function isExhaustion(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if ('code' in at && typeof at.code === 'string' && exhaustion.has(at.code)) return true;
  }
  return false;
}
