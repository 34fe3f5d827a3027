/** How a call breaks. */

export type TransportErrorKind =
  | 'refused-address'
  | 'invalid-request'
  | 'connect'
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
