/** Tells how long each try took and how it failed: the figures of channels and models (console.md 6.25). */
import type { ErrorClass } from '../contract/system.ts';
import type { TimedTry } from '../domain/call-times.ts';
import type { AttemptEntry } from '../domain/usage-log-facts.ts';
import type { FinishListener } from './record.ts';

/** A listener that tells every try of a call. */
export function timesListener(count: (tried: TimedTry) => void): FinishListener {
  return ({ account, outcome }) => {
    const { attempts } = account.trail;
    if (attempts.length === 0) return;
    const call = {
      model: account.inspection.model,
      isCut: outcome.reason === 'upstream_error' || outcome.reason === 'upstream_eof',
      // A session lasts as long as its client talks.
      isSession: account.exchange.endpoint.capability === 'realtime',
      firstTokenMs: outcome.firstTokenMs,
    };
    for (const tried of triesOf(attempts, call)) count(tried);
  };
}

/** What is known of the call behind the tries. */
export interface TriedCall {
  readonly model: string;
  /** The answer broke off for the upstream's reason. */
  readonly isCut: boolean;
  readonly isSession: boolean;
  /** From the beginning of the call. */
  readonly firstTokenMs: number | undefined;
}

/** The tries of a call, the last of which answered if any did. */
export function* triesOf(
  attempts: readonly Pick<AttemptEntry, 'channel' | 'status' | 'code' | 'ms'>[],
  { model, isCut, isSession, firstTokenMs }: TriedCall,
): Generator<TimedTry> {
  let before = 0;
  for (const { channel: channelId, status, code, ms } of attempts) {
    const isAnswer = status === 200;
    yield {
      channelId,
      model,
      failure: isAnswer ? (isCut ? 'broken' : undefined) : errorClassOf(status, code),
      durationMs: isAnswer && !isSession ? ms : undefined,
      firstTokenMs: isAnswer && firstTokenMs !== undefined ? Math.max(0, firstTokenMs - before) : undefined,
    };
    before += ms;
  }
}

const classesOfCodes: Readonly<Record<string, ErrorClass>> = {
  upstream_timeout: 'timeout',
  do_request_failed: 'unreachable',
  read_response_body_failed: 'broken',
  bad_response_body: 'broken',
  empty_response: 'broken',
  'channel:invalid_key': 'credential',
  'channel:no_available_key': 'credential',
  insufficient_quota: 'balance',
};

const classesOfStatuses: Readonly<Record<number, ErrorClass>> = {
  401: 'credential',
  402: 'balance',
  403: 'credential',
  408: 'timeout',
  429: 'limited',
  504: 'timeout',
};

/** By what the vendor or the transport called it, else by its status. */
export function errorClassOf(status: number, code: string): ErrorClass {
  const named = Object.hasOwn(classesOfCodes, code) ? classesOfCodes[code] : undefined;
  return named ?? classesOfStatuses[status] ?? (status >= 500 ? 'server' : 'refused');
}
