/** A call in as many tries as it may have: what may pass is tried again, what may have taken effect is not. */
import { ApiError } from './api-error.ts';
import type { Endpoint } from './endpoint.ts';
import { wasNeverSent } from './never-sent.ts';

/** How often, and after which waits. */
export interface Tries {
  /**
   * Further tries of a call that may be repeated, after a network failure or a 502, 503 or 504, and of any other after a
   * connection that was never made; 2 when absent.
   */
  retries?: number;
  /** Lets every try wait for its turn; without it a call that the server's limits refuse is not tried again. */
  pace?: Pace;
  /** Waits between two tries; replaced in tests. */
  sleep?: (ms: number) => Promise<void>;
  /** A server that asks to wait longer than these milliseconds is not asked again; 5,000 when absent. */
  longestPauseMs?: number;
}

/**
 * Resolves when a try may begin; throws where that would take too long.
 * @param refused the 429 that the try before it got
 */
export type Pace = (endpoint: Pick<Endpoint, 'access' | 'rate'>, refused?: ApiError) => Promise<PacedTry>;

/** A try that was let begin. */
export interface PacedTry {
  /** Told of the answer before it is read. */
  readonly answered: (response: Response) => void;
  /** Told when the try is over, answered or not. */
  readonly ended: () => void;
}

/** What is called. */
interface TriedCall {
  readonly endpoint: Pick<Endpoint, 'access' | 'rate'>;
  /** Whether it may take effect twice. */
  readonly repeatable: boolean;
}

/** So often may others take the room that a call has waited for. */
const mostRefusals = 10;

/** Makes one call, again where that can help. Throws what the last try threw. */
export async function inTries<T>(
  { endpoint, repeatable }: TriedCall,
  { retries = 2, pace, sleep = wait, longestPauseMs = 5000 }: Tries,
  once: (paced: PacedTry | undefined) => Promise<T>,
): Promise<T> {
  let refused: ApiError | undefined;
  let refusals = 0;
  for (let attempt = 1; ; ) {
    const paced = await pace?.(endpoint, refused);
    try {
      return await once(paced).finally(paced?.ended);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refused = paced !== undefined && isRefusedByLimit(error, repeatable) ? error : undefined;
      if (refused !== undefined && refusals < mostRefusals) {
        refusals += 1;
        continue;
      }
      if (attempt > retries) throw error;
      if (!(repeatable && mayPass(error)) && !wasNeverSent(error)) throw error;
      const pauseMs = error.retryAfter === undefined ? spreadMs(attempt) : error.retryAfter * 1000;
      if (pauseMs > longestPauseMs) throw error;
      await sleep(pauseMs);
      attempt += 1;
    }
  }
}

/**
 * The daemon's own limits refuse before anything is done, so that even what is not repeatable may come again. Streams end
 * when their readers leave, not after a while.
 */
function isRefusedByLimit({ code, status }: ApiError, repeatable: boolean): boolean {
  return status === 429 && code !== 'event_streams_full' && (repeatable || code === 'too_many_requests');
}

function mayPass(error: ApiError): boolean {
  return error.code === 'network_error' || error.status === 502 || error.status === 503 || error.status === 504;
}

/** Twice as long after every try, and not the same for all who failed at one moment. */
function spreadMs(attempt: number): number {
  return 250 * 2 ** (attempt - 1) * (0.75 + Math.random() / 2);
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
