/** Asks an upstream again that has taken a request and not answered it yet. */
import type { UpstreamFailure } from '../errors.ts';
import type { FurtherQuestion } from '../relay/further-question.ts';
import type { HeaderChange } from '../relay/header-rules.ts';
import { isObject } from '../relay/json.ts';
import { pathOn } from '../relay/providers/openai-compatible.ts';
import { type Destination, type OutgoingRequest, TransportError } from '../upstream/transport.ts';
import type { FailedAttempt } from './attempt-failure.ts';
import { encodeForm, partsOf } from './form-body.ts';
import type { Plan } from './plan.ts';
import { addressOf, withChanges, withForm } from './upstream-request.ts';

/** Questions after an answer that is still being made; most vendors are asked once a second. */
const MAX_QUESTIONS = 200;
/** Statuses of whoever is too busy to be asked, or not there: they say nothing of the work that was asked after. */
const BUSY = new Set([429, 502, 503, 504, 529]);
const BROKEN: ReadonlySet<TransportError['kind']> = new Set(['connect', 'reset']);
/** For so long in a row work may be asked after in vain. */
const MAX_VAIN_MS = 300_000;
/** Unless the upstream itself asks for more. */
const LONGEST_PAUSE_MS = 30_000;

/** Headers of the first request that a foreign host is shown too. */
const ANYWHERE: ReadonlySet<string> = new Set(['accept', 'user-agent']);

/** When an attempt asks again, and how long it goes on with it: from the answer that tells of work, for as long as a call may take. */
export class Questions {
  readonly #plan: Plan;
  readonly #ask: (request: OutgoingRequest) => void;
  readonly #startedMs = performance.now();
  #asked = 0;
  #vain = 0;
  #vainMs = 0;

  constructor(plan: Plan, ask: (request: OutgoingRequest) => void) {
    this.#plan = plan;
    this.#ask = ask;
  }

  /** Asks in a while; false where time is over. */
  next(question: FurtherQuestion): boolean {
    this.#asked += 1;
    this.#vain = 0;
    this.#vainMs = 0;
    return this.#asked <= MAX_QUESTIONS && this.#askIn(question.afterMs, question);
  }

  /**
   * The same for a question that was asked in vain. Work that was taken on is made and charged all the same, so it is
   * asked after until the upstream says that it failed.
   */
  again(question: FurtherQuestion | undefined, failure: UpstreamFailure | TransportError): boolean {
    if (question?.isAfterWork !== true) return false;
    if (failure instanceof TransportError ? !BROKEN.has(failure.kind) : !BUSY.has(failure.fields.status)) return false;
    const { retryAfterSeconds = 0 } = failure instanceof TransportError ? {} : failure.fields;
    this.#vain += 1;
    const grownMs = Math.min(LONGEST_PAUSE_MS, question.afterMs * 2 ** this.#vain);
    const pauseMs = retryAfterSeconds > 0 ? Math.max(question.afterMs, retryAfterSeconds * 1000) : grownMs;
    this.#vainMs += pauseMs;
    return this.#vainMs <= MAX_VAIN_MS && this.#askIn(pauseMs, question);
  }

  #askIn(pauseMs: number, question: FurtherQuestion): boolean {
    const { totalMs } = this.#plan.request.timeouts;
    if (totalMs > 0 && performance.now() - this.#startedMs + pauseMs > totalMs) return false;
    const request = followUpOf(this.#plan, question);
    setTimeout(() => this.#ask(request), pauseMs).unref();
    return true;
  }
}

/** The next question: on the channel's own address with the credentials of the first, or elsewhere without any. */
export function followUpOf(plan: Plan, followUp: FurtherQuestion): OutgoingRequest {
  const { timeouts } = plan.request;
  const destination = destinationOf(plan, followUp);
  const plain = headersOf(plan, followUp);
  if (followUp.body === undefined) return { method: 'GET', destination, headers: plain, body: undefined, timeouts };
  if (followUp.encoding === 'form' && isObject(followUp.body)) {
    const form = encodeForm(partsOf(followUp.body));
    return { method: 'POST', destination, headers: withForm(plain, form), body: form.body, timeouts };
  }
  const body = Buffer.from(JSON.stringify(followUp.body));
  const headers = withChanges(plain, [['content-type', 'application/json']]);
  return { method: 'POST', destination, headers, body, timeouts };
}

/** A refusal of this question; undefined: of the request itself. */
export function refused(failure: UpstreamFailure, question: FurtherQuestion | undefined): FailedAttempt {
  return { failure, nature: question?.isAfterWork === true ? 'lost' : 'status' };
}

/** What an upstream answers names a path at most; where it names a host, the host is one for the guard to judge. */
function destinationOf({ adapter, call, request }: Plan, { path, operation, address }: FurtherQuestion): Destination {
  const { destination } = request;
  if (address !== undefined) return { ...destination, url: address, proxy: undefined, egress: 'guarded' };
  if (path !== undefined) return { ...destination, url: call.baseUrl + pathOn(call.baseUrl, path) };
  if (operation === undefined) return { ...destination };
  return { ...destination, url: addressOf(adapter, { ...call, operation }) };
}

function headersOf({ request }: Plan, { address, headers = {} }: FurtherQuestion): string[] {
  const isPlain = (name: string) =>
    address === undefined ? name !== 'content-type' && name !== 'content-length' : ANYWHERE.has(name);
  const kept = request.headers.flatMap((value, at, all) => {
    const name = at % 2 === 0 ? value : (all[at - 1] ?? '');
    return isPlain(name) ? [value] : [];
  });
  return withChanges(
    kept,
    Object.entries(headers).map(([name, value]): HeaderChange => [name, value]),
  );
}
