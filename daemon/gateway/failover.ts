/** Step 9: one pick after another until one answers, or none may be tried any more (relay.md 11.5, 11.10). */
import type { ChannelHealth, FailedAttempt as HealthContext } from '../domain/channel-health.ts';
import { TollgateError, UpstreamFailure } from '../errors.ts';
import type { Transport } from '../upstream/transport.ts';
import { Attempt, type Reply } from './attempt.ts';
import { type FailedAttempt, maskedFor, underStatus } from './attempt-failure.ts';
import type { ChannelLoad } from './channel-load.ts';
import type { Exchange } from './exchange.ts';
import type { Plan, PlanAttempt, Planner, PlanRequest } from './plan.ts';
import { mayRetry } from './retry-decision.ts';
import type { Route, RoutedPick } from './route.ts';
import type { Trail } from './trail.ts';

export interface FailoverDeps {
  readonly planner: Planner;
  readonly transport: Transport;
  readonly health: Pick<ChannelHealth, 'succeeded' | 'failed'>;
  readonly load: ChannelLoad;
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
  /** Bytes of an answer have reached the client; comments do not count. */
  readonly contentSent: () => boolean;
  /** Takes or keeps the hold of the group that is asked now. Throws the ledger's refusals. */
  readonly coverGroup: (pick: RoutedPick) => void | Promise<void>;
  /** Told of each attempt before it is sent. */
  readonly onPlan: (plan: Plan) => void;
  /** Milliseconds to read on for a client that left, by channel type. */
  readonly drainMs: (channelType: number) => number;
  readonly health: HealthContext;
}

/** The attempt that is being answered. */
export interface Served {
  readonly kind: 'served';
  readonly reply: Reply;
  readonly attempt: Attempt;
  readonly plan: Plan;
  readonly pick: RoutedPick;
}

export type FailoverEnd =
  | Served
  /** Nobody answered. `last` is the failure the client is told about, if it came from an upstream. */
  | { readonly kind: 'failed'; readonly error: TollgateError | UpstreamFailure; readonly pick: RoutedPick | undefined }
  /** The client left. `accepted`: an upstream had taken the request by then. */
  | {
      readonly kind: 'gone';
      readonly accepted: boolean;
      readonly last: { readonly plan: Plan; readonly pick: RoutedPick } | undefined;
    };

/** Statuses of an upstream that tell the client what to repair: shown before any later failure (11.6). */
const CLIENT_FAULTS = new Set([400, 413, 422]);

/** Tries picks until one answers. Never throws for what an upstream did. */
export async function failover(deps: FailoverDeps, request: FailoverRequest): Promise<FailoverEnd> {
  const { exchange, route, trail } = request;
  const { options } = exchange.view;
  const allowed = options.get('RetryTimes');
  let shown: FailedAttempt | undefined;
  let lastPick: RoutedPick | undefined;
  let smallestWait: number | undefined;
  for (let attemptIndex = 0; ; attemptIndex += 1) {
    const pick = route.next(attemptIndex);
    if (pick === undefined) return exhausted(request, shown, { pick: lastPick, retryAfterSeconds: smallestWait });
    lastPick = pick;
    trail.begin(pick);
    const cover = request.coverGroup(pick);
    if (cover instanceof Promise) await cover;
    const tried = await tryPick(deps, request, { pick, index: attemptIndex });
    if (tried.kind !== 'failed') return tried;
    const { failed } = tried;
    const { fields } = failed.failure;
    smallestWait = smaller(smallestWait, fields.retryAfterSeconds);
    shown = shown !== undefined && isClientFault(shown) ? shown : failed;
    const again = mayRetry({
      nature: failed.nature,
      status: fields.status,
      scope: fields.retry,
      contentSent: request.contentSent(),
      clientGone: exchange.sink.gone,
      attemptsLeft: exchange.ageMs >= deps.retryMaxMs ? 0 : allowed - attemptIndex,
      pinned: route.isPinned,
      retryClass: request.plan.inspection.stateful ? 'B' : exchange.endpoint.retryClass,
      statuses: options.get('AutomaticRetryStatusCodes'),
    });
    if (exchange.sink.gone) return { kind: 'gone', accepted: false, last: undefined };
    if (!again) return exhausted(request, shown, { pick, retryAfterSeconds: smallestWait });
  }
}

type Tried = Served | { kind: 'failed'; failed: FailedAttempt } | Extract<FailoverEnd, { kind: 'gone' }>;

async function tryPick(deps: FailoverDeps, request: FailoverRequest, { pick, index }: PlanAttempt): Promise<Tried> {
  const { route, trail } = request;
  const channelId = pick.channel.record.id;
  for (;;) {
    const startedMs = performance.now();
    const planning = deps.planner.plan(request.plan, { pick, index });
    const planned = planning instanceof Promise ? await planning : planning;
    if ('failed' in planned)
      return fail(deps, request, { pick, failed: planned.failed, ms: performance.now() - startedMs });
    const { plan } = planned;
    request.onPlan(plan);
    const attempt = new Attempt(plan, { wantsStream: request.plan.inspection.stream, nowMs: deps.now });
    watchClient(request, attempt, pick);
    deps.load.enter(channelId);
    const result = await attempt.run(deps.transport);
    if (result.kind === 'reply') {
      route.succeeded(pick);
      deps.health.succeeded(pick);
      return { kind: 'served', reply: result.reply, attempt, plan, pick };
    }
    deps.load.leave(channelId);
    if (result.kind === 'called-off') return { kind: 'gone', accepted: result.answered, last: { plan, pick } };
    const { failed } = result;
    if (!deps.planner.learnsFrom(plan, failed, pick)) return fail(deps, request, { pick, failed, ms: attempt.ageMs });
    // Not counted as an attempt: the same channel, asked once more without a field it does not know (11.2).
    trail.failed(pick, failed, attempt.ageMs);
  }
}

/** Notes a failure where it counts, under the status that the channel gives it. */
function fail(
  deps: FailoverDeps,
  request: FailoverRequest,
  what: { pick: RoutedPick; failed: FailedAttempt; ms: number },
): Tried {
  const { channel, key } = what.pick;
  const failed = underStatus(maskedFor(what.failed, { channel, key }), channel.statusCodeMapping);
  request.trail.failed(what.pick, failed, what.ms);
  request.route.failed();
  if (failed.nature !== 'local') deps.health.failed(what.pick, failed.failure, request.health);
  return { kind: 'failed', failed };
}

/** A client that leaves ends the attempt at once, or after the time in which its usage may still come. */
function watchClient(request: FailoverRequest, attempt: Attempt, pick: RoutedPick): void {
  request.exchange.sink.onGone(() => {
    const drainMs = request.drainMs(pick.channel.record.type);
    if (drainMs === 0) attempt.callOff();
    else setTimeout(() => attempt.callOff(), drainMs).unref();
  });
  if (request.exchange.sink.gone) queueMicrotask(() => attempt.callOff());
}

function isClientFault(failed: FailedAttempt): boolean {
  const { upstreamStatus } = failed.failure.fields;
  return failed.nature === 'status' && upstreamStatus !== undefined && CLIENT_FAULTS.has(upstreamStatus);
}

function exhausted(
  request: FailoverRequest,
  shown: FailedAttempt | undefined,
  last: { pick: RoutedPick | undefined; retryAfterSeconds: number | undefined },
): FailoverEnd {
  const { route, plan } = request;
  if (route.coolestMs !== undefined) {
    const retryAfterSeconds = Math.max(1, Math.ceil(route.coolestMs / 1000));
    const params = { group: last.pick?.group ?? route.firstGroup, model: plan.inspection.model };
    const error = new TollgateError('all_channels_cooling', params, { retryAfterSeconds, cause: shown?.failure });
    return { kind: 'failed', error, pick: last.pick };
  }
  if (shown === undefined) {
    const params = { group: route.firstGroup, model: plan.inspection.model };
    const error = new TollgateError('no_channel_for_model', params, { retryAfterSeconds: 5 });
    return { kind: 'failed', error, pick: last.pick };
  }
  return { kind: 'failed', error: withWait(shown.failure, last.retryAfterSeconds), pick: last.pick };
}

/** The client is told the shortest wait that any upstream named (11.7). */
function withWait(failure: UpstreamFailure, retryAfterSeconds: number | undefined): UpstreamFailure {
  if (retryAfterSeconds === undefined || failure.fields.retryAfterSeconds === retryAfterSeconds) return failure;
  return new UpstreamFailure({ ...failure.fields, retryAfterSeconds });
}

function smaller(known: number | undefined, next: number | undefined): number | undefined {
  if (known === undefined || next === undefined) return known ?? next;
  return Math.min(known, next);
}
