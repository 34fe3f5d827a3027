/**
 * One attempt at a call that its upstream takes only so much of at once: the parts are asked beside each other, a few
 * at a time, and their answers become one. What one of them fails of, the whole attempt fails of; nobody is told half.
 */
import type { UpstreamFailure } from '../errors.ts';
import { sumUsage, type Usage } from '../relay/canonical/usage.ts';
import type { Transport } from '../upstream/transport.ts';
import { Attempt } from './attempt.ts';
import { type Spent, unusableReply } from './attempt-failure.ts';
import type { PlannedDivision } from './division.ts';
import { isAnswer } from './lane.ts';
import type { Plan } from './plan.ts';
import type { AttemptResult } from './reply.ts';

/** Requests of one attempt that run at the same time. */
const AT_ONCE = 4;

export class JointAttempt {
  readonly #plan: Plan;
  readonly #division: PlannedDivision;
  readonly #parts: readonly Attempt[];
  /** Those that have not begun. */
  readonly #waiting: Attempt[];
  readonly #startedMs = performance.now();
  #answered = false;
  /** What parts had taken that ended without an answer. */
  readonly #wasted: Usage[] = [];
  /** What ends the attempt, as soon as one part has ended without an answer. */
  #ending: Exclude<AttemptResult, { kind: 'reply' }> | undefined;

  /** @param deps.nowMs Unix milliseconds, for dates in upstream headers */
  constructor(plan: Plan, division: PlannedDivision, deps: { wantsStream: boolean; nowMs: () => number }) {
    this.#plan = plan;
    this.#division = division;
    const plans = [plan, ...division.parts.map((part) => ({ ...plan, ...part }))];
    this.#parts = plans.map((one) => new Attempt(one, deps));
    this.#waiting = [...this.#parts];
  }

  /** Sends the parts; resolves once all of them are answered, or one of them is not. */
  async run(transport: Transport): Promise<AttemptResult> {
    let last: Extract<AttemptResult, { kind: 'reply' }> | undefined;
    const work = async () => {
      for (let part = this.#waiting.shift(); part !== undefined; part = this.#waiting.shift()) {
        const result = await part.run(transport);
        if (result.kind === 'reply') {
          last = result;
          this.#answered = true;
        } else {
          if (result.kind === 'failed' && result.failed.spent !== undefined)
            this.#wasted.push(result.failed.spent.usage);
          this.#end(result);
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, this.#waiting.length) }, work));
    if (this.#ending?.kind === 'called-off') return { ...this.#ending, answered: this.#answered, ...this.#spent() };
    if (this.#ending !== undefined) return { kind: 'failed', failed: { ...this.#ending.failed, ...this.#spent() } };
    const answer = this.#division.join();
    if (last === undefined || !isAnswer(answer)) {
      return { kind: 'failed', failed: { ...unusableReply(this.#plan, 'bad_response_body'), ...this.#spent() } };
    }
    return { kind: 'reply', reply: { kind: 'whole', answer, headers: last.reply.headers } };
  }

  /** The client left: nothing more is wanted. */
  callOff(): void {
    this.#end({ kind: 'called-off', answered: this.#answered });
  }

  /** The node stops and will not wait for the answers any longer. */
  interrupt(): void {
    this.#waiting.length = 0;
    for (const part of this.#parts) part.interrupt();
  }

  /** Monotonic time at which the answer was complete; undefined while it was not. */
  get firstOutputMs(): number | undefined {
    const times = this.#parts.flatMap((part) => part.firstOutputMs ?? []);
    return times.length === 0 ? undefined : Math.max(...times);
  }

  /** Milliseconds since the attempt began. */
  get ageMs(): number {
    return performance.now() - this.#startedMs;
  }

  /** Nothing here is a stream. */
  reportedFailure(): UpstreamFailure | undefined {
    return undefined;
  }

  /** What the upstream did all the same: it is paid for the parts that it answered. */
  #spent(): { spent?: Spent } {
    const answered = this.#division.consumed();
    const usage = sumUsage(answered === undefined ? this.#wasted : [answered.usage, ...this.#wasted]);
    return usage === undefined ? {} : { spent: { ...answered, usage } };
  }

  /** What is still asked is not worth waiting for. */
  #end(result: Exclude<AttemptResult, { kind: 'reply' }>): void {
    if (this.#ending !== undefined) return;
    this.#ending = result;
    this.#waiting.length = 0;
    for (const part of this.#parts) part.callOff();
  }
}
