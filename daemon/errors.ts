/**
 * The two failures every room may throw. Both are values with a code; nothing is ever decided on their message text.
 */
import { type ErrorCode, type ErrorKind, errorKind } from './contract/error-codes.ts';

/** Values interpolated into the texts of `contract/error-codes.ts`; never secrets, never upstream addresses. */
export type ErrorParams = Readonly<Record<string, string | number | boolean>>;

/** Words that a client of the relay decides on, where its protocol has a place for them: `error.details` of Anthropic's. */
export type ErrorDetails = Readonly<Record<string, string | string[]>>;

export interface TollgateErrorOptions {
  /** What led here; logged, never sent. */
  cause?: unknown;
  /** Name of the input field at fault, as the client wrote it. */
  field?: string;
  /** Seconds for the `Retry-After` header. */
  retryAfterSeconds?: number;
  /** What the client needs to go on from here, sent beside the code on the management API. */
  data?: Readonly<Record<string, unknown>>;
  /** The same on the relay. */
  details?: ErrorDetails;
}

/** A failure with a code of the closed table. */
export class TollgateError extends Error {
  readonly code: ErrorCode;
  readonly params: ErrorParams;
  readonly field: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly data: Readonly<Record<string, unknown>> | undefined;
  readonly details: ErrorDetails | undefined;

  constructor(code: ErrorCode, params: ErrorParams = {}, options: TollgateErrorOptions = {}) {
    super(code, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'TollgateError';
    this.code = code;
    this.params = params;
    this.field = options.field;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.data = options.data;
    this.details = options.details;
  }

  get kind(): ErrorKind {
    return errorKind(this.code);
  }
}

/** Whether something that Tollgate needs cannot serve: what was asked of it may have been done all the same. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof TollgateError && error.kind === 'unavailable';
}

/** May the attempt loop go on after this failure, and how far away must the next pick be. */
export type RetryScope = 'never' | 'next-key' | 'next-channel';

/**
 * How a failure counts towards auto-disable (relay.md 12.8): `hard` at once, `soft` by number, `listed` only where the
 * operator lists its status or a word of its text, `none` never.
 */
export type HealthSignal = 'hard' | 'soft' | 'listed' | 'none';

/** What cools after a failure (relay.md 11.8). `untilMs` is relative; undefined takes the option's default. */
export interface Cooling {
  scope: 'key' | 'key-model' | 'channel';
  cause: 'rate-limit' | 'overload' | 'failure';
  retryAfterMs?: number;
}

export interface UpstreamFailureFields {
  /** Provider id, for operators only. */
  provider: string;
  /** Status line of the upstream before status mapping; undefined for transport errors. */
  upstreamStatus?: number;
  /** Status for retry, cooling and display, after the channel's status mapping. */
  status: number;
  /** The status is one that the operator gave it. */
  isMapped?: boolean;
  /** Upstream `error.type`, or `upstream_error`. */
  type: string;
  /** Upstream `error.code`, or a local code such as `do_request_failed`. */
  code: string;
  /** Upstream `error.param`. */
  param?: string | null;
  /** Of upstream `error.details`. */
  details?: ErrorDetails;
  /** Masked text that a client may see. */
  clientText: string;
  /** Where Tollgate says it, not the upstream: what `clientText` says in English, for clients of other languages. */
  own?: { code: ErrorCode; params: ErrorParams };
  /** `clientText` as it is kept, without what it quotes of the prompt; absent where that is all of it. */
  keptText?: string;
  /** Full text for operators; may name hosts, never a key. */
  operatorText: string;
  retry: RetryScope;
  health: HealthSignal;
  cooling?: Cooling;
  /** Seconds the upstream asked to wait, clamped to 1..300. */
  retryAfterSeconds?: number;
  /** True when the refusal is about the channel's own key or account (relay.md 4.3 rule 5). */
  aboutCredential?: boolean;
  /** The upstream says that it does not have the model; absent where it may be anything else that is missing. */
  lacksModel?: boolean;
  cause?: unknown;
}

/** One failed upstream attempt, already judged by its provider's adapter; the attempt loop only obeys. */
export class UpstreamFailure extends Error {
  readonly fields: Readonly<UpstreamFailureFields>;

  constructor(fields: UpstreamFailureFields) {
    super(fields.code, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.name = 'UpstreamFailure';
    this.fields = fields;
  }
}
