/** The upstream's part of an admitted order: one pick after another until one accepts it, or none may be asked any more. */
import type { Soon } from '../../cluster/counters.ts';
import type { KeyPlace, KeyRefusal } from '../../domain/key-limits.ts';
import { computeCharge, reservationAmount } from '../../domain/pricing.ts';
import { TollgateError, type UpstreamFailure } from '../../errors.ts';
import { type CountedOutput, emptyUsage, reportedOutput, type Usage } from '../../relay/canonical/usage.ts';
import { answerHeaders } from '../../relay/header-rules.ts';
import { providerOf } from '../../relay/providers/index.ts';
import { isTokenLimited } from '../admit.ts';
import { brokenTransport, type FailedAttempt, maskedFor, misconfigured, underStatus } from '../attempt-failure.ts';
import { triesOut } from '../authenticate.ts';
import { namesOn } from '../call-template.ts';
import { answerWithError } from '../failure-answer.ts';
import type { HeldCall } from '../held-call.ts';
import type { AnswerMeter } from '../lane.ts';
import { overrideFacts } from '../overridden.ts';
import { refusedBy } from '../own-refusal.ts';
import type { PipelineDeps } from '../pipeline.ts';
import { failureFacts, refusalReason } from '../refusal.ts';
import { mayRetry } from '../retry-decision.ts';
import type { RoutedPick } from '../route.ts';
import { type BilledPlan, billingOf, NOBODY_ANSWERED, type Outcome } from '../settle.ts';
import type { Stay } from '../stay.ts';
import { Tale } from '../tale.ts';
import type { TaskAnswer, TaskOrder, TaskVerdict } from './task-order.ts';
import { askUpstream, type TaskUpstreams, taskCall } from './task-request.ts';

export interface TaskAttemptsDeps extends TaskUpstreams {
  readonly pipeline: PipelineDeps;
  /** Told of accepted tasks that could not be remembered, with the upstream's id. */
  readonly lost: (task: { requestId: string; taskId: string; channelId: number }, error: unknown) => void;
}

/** What an upstream said to an order, or why nobody said anything. */
type AttemptEnd =
  | {
      readonly kind: 'said';
      readonly verdict: Exclude<TaskVerdict, { outcome: 'failed' }>;
      readonly pick: RoutedPick;
      readonly plan: BilledPlan;
    }
  | { readonly kind: 'failed'; readonly error: TollgateError | UpstreamFailure; readonly pick: RoutedPick | undefined };

const noTokens = { prompt: 0, answer: 0 } as const;

/** The attempts of an admitted order. */
export class TaskAttempts {
  readonly #deps: TaskAttemptsDeps;
  readonly #call: HeldCall;
  readonly #order: TaskOrder;
  readonly #stay: Stay | undefined;

  /** @param asked.stay undefined for questions that cost nothing */
  constructor(deps: TaskAttemptsDeps, call: HeldCall, asked: { readonly order: TaskOrder; readonly stay?: Stay }) {
    this.#deps = deps;
    this.#call = call;
    this.#order = asked.order;
    this.#stay = asked.stay;
  }

  /** Asks, remembers and answers. Never throws: what goes wrong is answered here and becomes the outcome. */
  async run(): Promise<Outcome> {
    try {
      const end = await this.#ask();
      if (end.kind === 'failed') return this.#refuse(end.error, end.pick);
      return end.verdict.outcome === 'accepted'
        ? await this.#accept(end, end.verdict)
        : await this.#pass(end, end.verdict);
    } catch (error) {
      return this.#refuse(error, this.#call.trail.lastPick);
    }
  }

  async #ask(): Promise<AttemptEnd> {
    const { route, model } = this.#call.admission;
    const allowed = this.#order.retries === 'never' ? 0 : this.#call.exchange.view.options.get('RetryTimes');
    const tale = new Tale(this.#call.shortage);
    for (let index = 0; ; ) {
      this.#stay?.leaveChannel();
      const pick = route.next(index);
      if (pick === undefined) break;
      tale.pick = pick;
      // At once, so that no other call finds the same room.
      this.#stay?.enterChannel(pick, this.#call);
      const place = await this.#takeKey(pick);
      if (place?.fullMs !== undefined) {
        route.skip(pick, place.fullMs);
        continue;
      }
      const tried = await this.#try(pick, index).catch((error) => {
        leave(place);
        throw error;
      });
      if (tried instanceof TollgateError) {
        place?.passedOver();
        route.passOverGroup(pick.group);
        tale.refusal = tried;
        continue;
      }
      leave(place);
      if ('verdict' in tried) return { kind: 'said', ...tried, pick };
      tale.add(tried);
      if (!this.#mayTryNext(tried, allowed - index)) break;
      index += 1;
    }
    return { kind: 'failed', error: tale.failure(route, model), pick: tale.pick };
  }

  /** An order that is sent is counted as one request, whatever comes of it. */
  #takeKey({ key: { id, limits } }: RoutedPick): Soon<KeyPlace | KeyRefusal> | undefined {
    if (limits === undefined) return undefined;
    return this.#deps.pipeline.serving.failover.keyLimits.take({ id, limits }, () => noTokens);
  }

  async #try(
    pick: RoutedPick,
    index: number,
  ): Promise<
    { verdict: Exclude<TaskVerdict, { outcome: 'failed' }>; plan: BilledPlan } | FailedAttempt | TollgateError
  > {
    const { load } = this.#deps.pipeline.serving.failover;
    const { channel } = pick;
    const { exchange, caller, inspection, admission, trail } = this.#call;
    const { model } = admission;
    const adapter = providerOf(channel.record.type);
    if (adapter === undefined) throw new TollgateError('invalid_api_type');
    const names = namesOn(channel, model);
    if (names === undefined) {
      trail.begin(pick);
      return this.#failed(pick, misconfigured({ adapter }, 'channel:model_mapped_error'), 0);
    }
    const call = taskCall(adapter, channel, { format: exchange.endpoint.format, model: names.upstream });
    const plan = { names, call, lane: { conversion: undefined }, droppedFields: [] };
    const refusal = await this.#cover(pick, plan);
    if (refusal !== undefined) return refusal;
    trail.begin(pick);
    const startedMs = performance.now();
    load.enter(channel.record.id);
    try {
      const asking = { userGroup: caller.user.group, inspection };
      const facts = overrideFacts(asking, plan, { pick, index });
      const { view, request } = exchange;
      const target = { adapter, channel, key: pick.key, call, asker: { view, client: request.headers, facts } };
      const reply = await askUpstream(this.#deps, target, this.#order.request(pick));
      const ms = performance.now() - startedMs;
      if ('error' in reply) return this.#failed(pick, brokenTransport({ adapter }, reply.error, reply.where), ms);
      if ('refusal' in reply) return this.#failed(pick, refusedBy({ adapter }, reply.refusal), ms);
      const verdict = await this.#order.judge(reply, pick);
      if (verdict.outcome === 'failed') return this.#failed(pick, { failure: verdict.failure, nature: 'status' }, ms);
      const requestId = channel.setting.expose_upstream_request_id === true;
      for (const [name, value] of answerHeaders(reply.headers, { disposition: false, requestId })) {
        exchange.sink.setHeader(name, value);
      }
      if (verdict.outcome === 'accepted') trail.answered(pick, ms, undefined);
      else trail.refused(pick, ms, { code: verdict.code, message: verdict.operatorReason });
      this.#noteHealth(pick, verdict);
      return { verdict, plan };
    } catch (error) {
      // Rules of the channel that cannot be read; nothing was sent.
      if (!(error instanceof TollgateError) || error.kind !== 'upstream') throw error;
      return this.#failed(pick, misconfigured({ adapter }, error.code, error.cause), performance.now() - startedMs);
    } finally {
      load.leave(channel.record.id);
    }
  }

  #noteHealth(pick: RoutedPick, verdict: TaskVerdict): void {
    const { health } = this.#deps.pipeline.serving.failover;
    if (verdict.outcome === 'refused' && verdict.failure !== undefined) {
      const { failure } = maskedFor({ failure: verdict.failure, nature: 'unusable' }, pick);
      health.failed(pick, failure, this.#healthContext());
    } else health.succeeded(pick);
  }

  /** Notes a failure where it counts, under the status that the channel gives it. */
  #failed(pick: RoutedPick, attempt: FailedAttempt, ms: number): FailedAttempt {
    const failed = underStatus(maskedFor(attempt, pick), pick.channel.statusCodeMapping);
    this.#call.trail.failed(pick, failed, ms);
    this.#call.admission.route.failed(pick);
    this.#deps.pipeline.serving.failover.health.failed(pick, failed.failure, this.#healthContext());
    return failed;
  }

  #healthContext() {
    const disabling = triesOut(this.#call.caller) ? ('spared' as const) : ('allowed' as const);
    return { requestId: this.#call.exchange.id, model: this.#call.admission.model, disabling };
  }

  #mayTryNext(failed: FailedAttempt, attemptsLeft: number): boolean {
    const { exchange } = this.#call;
    const isLate = exchange.ageMs >= this.#deps.pipeline.serving.failover.retryMaxMs;
    return mayRetry({
      nature: failed.nature,
      status: failed.failure.fields.status,
      scope: failed.failure.fields.retry,
      contentSent: false,
      clientGone: exchange.sink.gone,
      attemptsLeft: isLate ? 0 : attemptsLeft,
      pinned: this.#call.admission.route.isPinned,
      retryClass: exchange.endpoint.retryClass,
      statuses: exchange.view.options.get('AutomaticRetryStatusCodes'),
    });
  }

  /** Another group may cost more: the difference is taken. Resolves to a refusal that another group may not meet. */
  async #cover(pick: RoutedPick, plan: BilledPlan): Promise<TollgateError | undefined> {
    const { promptTokens, route } = this.#call.admission;
    const full = await this.#stay?.enterGroup(pick, route);
    if (full !== undefined) return full;
    if (this.#order.isFree || pick.group === route.firstGroup) return undefined;
    const wanted = reservationAmount({ ...billingOf(this.#call, { served: { pick, plan } }), promptTokens });
    const amount = wanted - this.#call.held;
    return this.#call.cover(this.#deps.pipeline.serving.ledger, { amount, group: pick.group });
  }

  async #accept(
    end: Extract<AttemptEnd, { kind: 'said' }>,
    verdict: Extract<TaskVerdict, { outcome: 'accepted' }>,
  ): Promise<Outcome> {
    const { exchange, caller } = this.#call;
    const { pick, plan } = end;
    const { taskId, isCharged, answer } = verdict;
    const outcome = this.#outcome({ served: { pick, plan }, taskId, isWaived: this.#order.isFree || !isCharged });
    const usage = emptyUsage();
    const quota = outcome.isWaived === true ? 0 : computeCharge({ ...billingOf(this.#call, outcome), usage }).quota;
    const tokenQuota = isTokenLimited(caller) ? quota : 0;
    const place = { caller, requestId: exchange.id, pick, submittedAtMs: exchange.startedAtMs };
    try {
      await this.#order.keep({ ...place, taskId, quota, tokenQuota });
    } catch (error) {
      // The upstream works on it: it is billed, and the client has its id (relay.md 8.8).
      this.#deps.lost({ requestId: exchange.id, taskId, channelId: pick.channel.record.id }, error);
    }
    this.#write(answer);
    return outcome;
  }

  /** The upstream's own refusal goes on as it is. */
  async #pass(
    end: Extract<AttemptEnd, { kind: 'said' }>,
    verdict: Extract<TaskVerdict, { outcome: 'refused' }>,
  ): Promise<Outcome> {
    const { exchange, caller } = this.#call;
    const { code, reason, answer } = verdict;
    const place = { caller, requestId: exchange.id, pick: end.pick, submittedAtMs: exchange.startedAtMs };
    try {
      await this.#order.keepRefused?.({ ...place, reason });
    } catch (error) {
      this.#deps.lost({ requestId: exchange.id, taskId: '', channelId: end.pick.channel.record.id }, error);
    }
    this.#write(answer);
    const words = { status: answer.status, type: 'upstream_error', code, message: reason };
    return {
      ...NOBODY_ANSWERED,
      reason: 'upstream_error',
      streamed: false,
      error: { ...words, param: null, retryAfterSeconds: undefined },
      failure: words,
    };
  }

  #refuse(error: unknown, pick: RoutedPick | undefined): Outcome {
    const { exchange } = this.#call;
    const { explain, logged } = this.#deps.pipeline.serving;
    const shown = explain(exchange, error, pick);
    answerWithError(exchange, shown);
    const failure = failureFacts(error, this.#call.trail.lastFailure, () => logged(exchange, error, pick));
    return { ...NOBODY_ANSWERED, reason: refusalReason(error), streamed: false, error: shown, failure };
  }

  #outcome(made: { served: Outcome['served']; taskId: string; isWaived: boolean }): Outcome {
    const { served, taskId, isWaived } = made;
    return {
      reason: 'complete',
      served,
      meter: new TaskMeter({ id: taskId, action: this.#order.action }),
      accepted: true,
      streamed: false,
      firstTokenMs: undefined,
      error: undefined,
      failure: undefined,
      isWaived,
    };
  }

  #write({ status, body }: TaskAnswer): void {
    this.#call.exchange.sink.answer(status, 'application/json', JSON.stringify(body));
  }
}

function leave(place: KeyPlace | undefined): void {
  place?.left();
  place?.used(0);
}

/** An accepted task: it counts once, whatever comes of it later. */
class TaskMeter implements AnswerMeter {
  readonly hasOutput = true;
  readonly task: { readonly id: string; readonly action: string };

  constructor(task: { id: string; action: string }) {
    this.task = task;
  }

  usage(): Usage {
    return emptyUsage();
  }

  counted(): CountedOutput {
    return reportedOutput(undefined);
  }

  isBlank(): boolean {
    return false;
  }
}
