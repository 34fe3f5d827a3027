/** How a call ends that does not succeed. */

/** A call that was refused, failed or never arrived. */
export class ApiError extends Error {
  /** Code of `error-codes.ts`; `network_error`, `timeout`, `aborted` or `invalid_answer` when no envelope came. */
  readonly code: string;
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly requestId: string | undefined;
  /** Seconds to wait before the next try. */
  readonly retryAfter: number | undefined;
  /** Input member at fault. */
  readonly field: string | undefined;
  /** What the server sent beside the code, for going on from there; not checked. */
  readonly data: unknown;

  constructor(fields: {
    code: string;
    message: string;
    status: number;
    requestId?: string | undefined;
    retryAfter?: number | undefined;
    field?: string | undefined;
    data?: unknown;
    cause?: unknown;
  }) {
    super(fields.message, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.name = 'ApiError';
    this.code = fields.code;
    this.status = fields.status;
    this.requestId = fields.requestId;
    this.retryAfter = fields.retryAfter;
    this.field = fields.field;
    this.data = fields.data;
  }
}
