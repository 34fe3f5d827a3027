/** Tells how long each try took and how it failed: the figures of channels and models (console.md 6.25). */
import type { ErrorClass } from '../contract/system.ts';
import type { TimedTry } from '../domain/call-times.ts';
import type { AttemptEntry } from '../domain/usage-log-facts.ts';
import type { FinishedRequest } from './record.ts';

/** A finished request, as far as it tells of its tries. */
export interface TriedRequest {
  readonly account: {
    /** The last of them answered if any did. */
    readonly trail: { readonly attempts: readonly Pick<AttemptEntry, 'channel' | 'status' | 'code' | 'ms'>[] };
    readonly inspection: Pick<FinishedRequest['account']['inspection'], 'model'>;
    readonly exchange: { readonly endpoint: Pick<FinishedRequest['account']['exchange']['endpoint'], 'capability'> };
  };
  readonly outcome: Pick<FinishedRequest['outcome'], 'reason' | 'firstTokenMs'>;
}

/** What is told of tries. */
export interface TryCounters {
  timed(tried: TimedTry): void;
  /** A channel that failed before it answered; what a client got wrong says nothing about it. */
  failed(channelId: number): void;
}

/** A listener that tells every try of a call. It runs behind each call: one object a try is all that it makes. */
export function timesListener(counters: TryCounters): (finished: TriedRequest) => void {
  return ({ account, outcome }) => {
    const { model } = account.inspection;
    const { reason, firstTokenMs } = outcome;
    // A session lasts as long as its client talks.
    const isSession = account.exchange.endpoint.capability === 'realtime';
    let before = 0;
    for (const { channel: channelId, status, code, ms } of account.trail.attempts) {
      const isAnswer = status === 200;
      const failure = isAnswer ? breakOf(reason) : errorClassOf(status, code);
      if (!isAnswer && failure !== 'refused') counters.failed(channelId);
      counters.timed({
        channelId,
        model,
        failure,
        durationMs: isAnswer && !isSession ? ms : undefined,
        firstTokenMs: isAnswer && firstTokenMs !== undefined ? Math.max(0, firstTokenMs - before) : undefined,
      });
      before += ms;
    }
  };
}

/** What an answer counts as that broke off for the upstream's reason; undefined for all others. */
function breakOf(reason: TriedRequest['outcome']['reason']): ErrorClass | undefined {
  return reason === 'upstream_error' || reason === 'upstream_eof' ? 'broken' : undefined;
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
