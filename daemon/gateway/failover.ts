/** Step 9: one pick after another until one answers, or none may be tried any more (relay.md 11.5, 11.10). */
import type { BudgetBook, BudgetPlace } from '../domain/budget-book.ts';
import type { ChannelHealth, FailedAttempt as HealthContext } from '../domain/channel-health.ts';
import type { KeyLimits, KeyPlace } from '../domain/key-limits.ts';
import { TollgateError, type UpstreamFailure } from '../errors.ts';
import type { Transport } from '../upstream/transport.ts';
import { Attempt } from './attempt.ts';
import { type FailedAttempt, maskedFor, type Spent, underStatus } from './attempt-failure.ts';
import type { ChannelLoad } from './channel-load.ts';
import { lacksCounter } from './count-tokens.ts';
import { type Exchange, isFreeOfCharge } from './exchange.ts';
import { refusalOf } from './group-hold.ts';
import { JointAttempt } from './joint-attempt.ts';
import type { AnswerMeter } from './lane.ts';
import type { Plan, Planner, PlanRequest } from './plan.ts';
import type { Reply } from './reply.ts';
import { expectedTokens } from './request-limits.ts';
import { mayRetry } from './retry-decision.ts';
import type { Route, RoutedPick } from './route.ts';
import type { Interruptible, RunningWork } from './running-work.ts';
import { Tale } from './tale.ts';
import type { Trail } from './trail.ts';

export interface FailoverDeps {
  readonly planner: Planner;
  readonly transport: Transport;
  readonly health: Pick<ChannelHealth, 'succeeded' | 'failed'>;
  readonly load: ChannelLoad;
  readonly keyLimits: KeyLimits;
  readonly budgets: Pick<BudgetBook, 'keepOn'>;
  readonly work: RunningWork;
  /** `RETRY_MAX_SECONDS` */
  readonly retryMaxMs: number;
  /** Unix milliseconds. */
  readonly now: () => number;
}

export interface FailoverRequest {
  readonly exchange: Exchange;
  readonly route: Route;
  readonly trail: Trail;
  readonly plan: PlanRequest;
  /** What the request has taken of the limits of the key that is asked; its owner leaves it at the end. */
  keyPlace: KeyPlace | undefined;
  /** What it keeps of the budgets of the channel that is asked; its owner leaves it once it is settled. */
  channelPlace: Pick<BudgetPlace, 'left'> | undefined;
  /** Quota. */
  readonly held: number;
  /** Why the balance does not reach for the first group, which the route passes over. */
  readonly shortage: TollgateError | undefined;
  /** Bytes of an answer have reached the client; comments do not count. */
  readonly contentSent: boolean;
  /**
   * Takes a place in the limits of the group that is asked now, and takes or keeps its hold, for an answer of
   * `maxTokens` where an override allows a longer one than the client. Rejects with the refusals of either.
   */
  coverPick(pick: RoutedPick, maxTokens: number | undefined): Promise<void> | undefined;
  /** Told of each attempt before it is sent. */
  onPlan(plan: Plan): void;
  /** Milliseconds to read on for a client that left, by channel type. */
  drainMs(channelType: number): number;
  readonly health: HealthContext;
}

/** The attempt that is being answered. Its request keeps its place among the calls of the key. */
export interface Served {
  readonly kind: 'served';
  readonly reply: Reply;
  readonly attempt: Attempt | JointAttempt;
  readonly plan: Plan;
  readonly pick: RoutedPick;
}

export type FailoverEnd =
  | Served
  /** Nobody answered. `last` is the failure the client is told about, if it came from an upstream. */
  | { readonly kind: 'failed'; readonly error: TollgateError | UpstreamFailure; readonly pick: RoutedPick | undefined }
  /**
   * The client left. `accepted`: an upstream had taken the request by then; `heard`: what it had reported of an answer
   * that had said nothing yet; `spent`: what it is known to have done.
   */
  | {
      readonly kind: 'gone';
      readonly accepted: boolean;
      readonly last: { readonly plan: Plan; readonly pick: RoutedPick } | undefined;
      readonly heard?: AnswerMeter | undefined;
      readonly spent?: Spent | undefined;
    };

/**
 * Tries picks until one answers. A channel whose protocol cannot say the request is passed over, which costs no attempt
 * (C16), and so is a group that has no room or that the balance does not reach for. Throws what forbids the request
 * itself: a refused hold, a body that no channel can say.
 */
export async function failover(deps: FailoverDeps, request: FailoverRequest): Promise<FailoverEnd> {
  const { exchange, route, trail } = request;
  const { options } = exchange.view;
  const allowed = options.get('RetryTimes');
  const tale = new Tale(request.shortage);
  for (let index = 0; ; ) {
    request.channelPlace?.left();
    const pick = route.next(index);
    if (pick === undefined) {
      if (leavesToolsOut(request)) continue;
      return exhausted(request, tale);
    }
    tale.pick = pick;
    request.keyPlace = undefined;
    // At once, so that no other call finds the same room.
    request.channelPlace = placeOn(deps, request, pick);
    const { id, limits } = pick.key;
    if (limits !== undefined) {
      const taking = deps.keyLimits.take({ id, limits }, () => expectationOf(request));
      const taken = taking instanceof Promise ? await taking : taking;
      if (taken.fullMs !== undefined) {
        route.skip(pick, taken.fullMs);
        continue;
      }
      request.keyPlace = taken;
    }
    let failed: FailedAttempt | undefined;
    let begun = false;
    while (failed === undefined) {
      const startedMs = performance.now();
      const planning = deps.planner.plan(request.plan, { pick, index });
      const planned = planning instanceof Promise ? await whileWanted(deps, request, planning) : planning;
      if (planned === 'gone') return { kind: 'gone', accepted: false, last: undefined };
      if ('pending' in planned) {
        await whileWanted(deps, request, planned.pending);
        if (exchange.sink.gone) return { kind: 'gone', accepted: false, last: undefined };
        continue;
      }
      if ('unsayable' in planned) {
        route.passOver(pick);
        request.keyPlace?.passedOver();
        tale.unsayable ??= planned.unsayable;
        break;
      }
      if (!begun) {
        begun = true;
        const cover = request.coverPick(pick, 'plan' in planned ? planned.plan.maxTokens : undefined);
        const refusal = cover && (await refusalOf(cover, route));
        if (refusal !== undefined) {
          if (pick.group === route.firstGroup) throw refusal;
          route.passOverGroup(pick.group);
          request.keyPlace?.passedOver();
          tale.refusal = refusal;
          break;
        }
        trail.begin(pick);
      }
      if ('failed' in planned) {
        request.keyPlace?.passedOver();
        failed = noted(deps, request, { pick, failed: planned.failed, ms: performance.now() - startedMs });
        break;
      }
      const { attempt, place } = beginAttempt(deps, request, { plan: planned.plan, pick });
      const result = await attempt.run(deps.transport);
      deps.work.remove(attempt, place);
      const { plan } = planned;
      if (result.kind === 'reply') {
        route.succeeded(pick);
        deps.health.succeeded(pick);
        return { kind: 'served', reply: result.reply, attempt, plan, pick };
      }
      deps.load.leave(pick.channel.record.id);
      if (result.kind === 'called-off') {
        const { answered, heard, spent } = result;
        if (answered) trail.answered(pick, attempt.ageMs, heard?.usage() ?? spent?.usage);
        else trail.calledOff(pick, attempt.ageMs);
        return { kind: 'gone', accepted: answered, last: { plan, pick }, heard, spent };
      }
      // Not counted as an attempt: the same channel, asked once more in the way it has just taught (11.2).
      const refused = { request: request.plan, plan, failed: result.failed, pick };
      if (deps.planner.learnsFrom(refused)) trail.failed(pick, result.failed, attempt.ageMs);
      else failed = noted(deps, request, { pick, failed: result.failed, ms: attempt.ageMs });
    }
    if (failed === undefined) continue;
    request.keyPlace?.left();
    request.keyPlace?.used(0);
    tale.add(failed);
    if (exchange.sink.gone) return { kind: 'gone', accepted: false, last: undefined };
    const attemptsLeft = exchange.ageMs >= deps.retryMaxMs ? 0 : allowed - index;
    if (!mayTryNext(request, failed, attemptsLeft)) return exhausted(request, tale);
    index += 1;
  }
}

function placeOn(
  { budgets }: FailoverDeps,
  request: FailoverRequest,
  pick: RoutedPick,
): FailoverRequest['channelPlace'] {
  if (isFreeOfCharge(request.exchange.endpoint)) return undefined;
  const tokens = () => expectationOf(request);
  return budgets.keepOn(pick.channel.record, { quota: request.held, tokens });
}

function expectationOf({ exchange, plan }: FailoverRequest): ReturnType<typeof expectedTokens> {
  const { inspection } = plan;
  return expectedTokens(exchange, { inspection, admission: { promptTokens: plan.promptTokens() } });
}

/**
 * Waits for what an attempt needs, a token that its key is traded for or the request's files, for as long as the client
 * does and the node may. Throws `shutting_down`, and `invalid_request` for a file that cannot be had.
 */
async function whileWanted<T>(
  { work }: FailoverDeps,
  { exchange: { sink }, plan }: FailoverRequest,
  pending: Promise<T>,
): Promise<T | 'gone'> {
  const waiting = new Waiting();
  sink.onGone(() => waiting.leave());
  if (sink.gone) waiting.leave();
  const place = work.add(waiting);
  try {
    return await Promise.race([waiting.end, pending]);
  } catch (error) {
    if (sink.gone) return 'gone';
    throw error;
  } finally {
    work.remove(waiting, place);
    if (waiting.isOver) plan.media.callOff();
  }
}

/** Ends before what is waited for when nobody wants that any more. */
class Waiting implements Interruptible {
  readonly end: Promise<'gone'>;
  isOver = false;
  #resolve: (end: 'gone') => void = () => {};
  #reject: (error: TollgateError) => void = () => {};

  constructor() {
    this.end = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  leave(): void {
    this.isOver = true;
    this.#resolve('gone');
  }

  interrupt(): void {
    this.isOver = true;
    this.#reject(new TollgateError('shutting_down', {}, { retryAfterSeconds: 5 }));
  }
}

function mayTryNext(request: FailoverRequest, failed: FailedAttempt, attemptsLeft: number): boolean {
  const { exchange, route, plan } = request;
  const { fields } = failed.failure;
  return mayRetry({
    nature: failed.nature,
    status: fields.status,
    scope: fields.retry,
    contentSent: request.contentSent,
    clientGone: exchange.sink.gone,
    attemptsLeft,
    pinned: route.isPinned,
    retryClass: plan.inspection.stateful ? 'B' : exchange.endpoint.retryClass,
    statuses: exchange.view.options.get('AutomaticRetryStatusCodes'),
  });
}

function beginAttempt(deps: FailoverDeps, request: FailoverRequest, what: { plan: Plan; pick: RoutedPick }) {
  const { plan, pick } = what;
  request.onPlan(plan);
  const wishes = { wantsStream: request.plan.inspection.stream, nowMs: deps.now };
  const { division } = plan;
  const attempt = division === undefined ? new Attempt(plan, wishes) : new JointAttempt(plan, division, wishes);
  watchClient(request, attempt, pick);
  deps.load.enter(pick.channel.record.id);
  return { attempt, place: deps.work.add(attempt) };
}

/** Notes a failure where it counts, under the status that the channel gives it. */
function noted(
  deps: FailoverDeps,
  request: FailoverRequest,
  what: { pick: RoutedPick; failed: FailedAttempt; ms: number },
): FailedAttempt {
  const { channel, key } = what.pick;
  const failed = underStatus(maskedFor(what.failed, { channel, key }), channel.statusCodeMapping);
  request.trail.failed(what.pick, failed, what.ms);
  request.route.failed(what.pick);
  const isHarmless =
    failed.nature === 'local' ||
    lacksCounter(request.exchange.endpoint, failed.failure) ||
    missesReference(request, failed);
  if (!isHarmless) deps.health.failed(what.pick, failed.failure, request.health);
  return failed;
}

/**
 * What is not found is what the request names by its id, unless the upstream says that it is the model: anybody may
 * invent an id, and no channel is worse for it.
 */
function missesReference({ plan }: FailoverRequest, { failure }: FailedAttempt): boolean {
  const { upstreamStatus, lacksModel } = failure.fields;
  return upstreamStatus === 404 && lacksModel !== true && plan.inspection.references.length > 0;
}

/** A client that leaves ends the attempt at once, or after the time in which its usage may still come. */
function watchClient(request: FailoverRequest, attempt: Attempt | JointAttempt, pick: RoutedPick): void {
  request.exchange.sink.onGone(() => {
    const drainMs = request.drainMs(pick.channel.record.type);
    if (drainMs === 0) attempt.callOff();
    else setTimeout(() => attempt.callOff(), drainMs).unref();
  });
  if (request.exchange.sink.gone) queueMicrotask(() => attempt.callOff());
}

/** True when channels that were passed over may be asked after all: without the tools that only other vendors run. */
function leavesToolsOut({ plan, route }: FailoverRequest): boolean {
  if (plan.conversion !== 'warn' || plan.leavesOutTools === true || !route.reconsider()) return false;
  plan.leavesOutTools = true;
  return true;
}

function exhausted({ route, plan }: FailoverRequest, tale: Tale): FailoverEnd {
  return { kind: 'failed', error: tale.failure(route, plan.inspection.model), pick: tale.pick };
}
