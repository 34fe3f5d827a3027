/** Opens the upstream side of a realtime session: one pick after another until a handshake succeeds (relay.md 5.13). */
import type { FailedAttempt as HealthContext } from '../domain/channel-health.ts';
import type { KeyPlace } from '../domain/key-limits.ts';
import { TollgateError } from '../errors.ts';
import { overriddenHeaders, passedHeaders } from '../relay/header-rules.ts';
import { type Handshake, type Transport, TransportError } from '../upstream/transport.ts';
import { brokenTransport, type FailedAttempt, maskedFor, misconfigured, underStatus } from './attempt-failure.ts';
import { callLane } from './call-lane.ts';
import { type CallTemplate, CallTemplates, type CallTemplatesDeps } from './call-template.ts';
import type { Exchange } from './exchange.ts';
import type { FailoverDeps } from './failover.ts';
import type { Plan } from './plan.ts';
import { mayRetry } from './retry-decision.ts';
import type { Route, RoutedPick } from './route.ts';
import { Tale } from './tale.ts';
import type { Trail } from './trail.ts';
import { withChanges } from './upstream-request.ts';

export interface HandshakeDeps extends CallTemplatesDeps {
  readonly transport: Pick<Transport, 'openSocket'>;
  readonly health: FailoverDeps['health'];
  readonly keyLimits: FailoverDeps['keyLimits'];
  /** `RETRY_MAX_SECONDS` */
  readonly retryMaxMs: number;
  /** Unix milliseconds. */
  readonly now: () => number;
}

export interface HandshakeRequest {
  readonly exchange: Exchange;
  readonly route: Route;
  readonly trail: Trail;
  /** Name to route by. */
  readonly model: string;
  /** What a refusal may do to the channel. */
  readonly disabling: HealthContext['disabling'];
  /** Why the balance did not reach for the first group, which is passed over; undefined where it did. */
  readonly shortage: TollgateError | undefined;
  /** Leaves the channel that was asked before. */
  leave(): void;
  /** Keeps room for the session at the channel that is asked now. Never waits. */
  enter(pick: RoutedPick): void;
  /** Holds what the group of a pick costs; resolves to why that cannot be, where another group may cost less. */
  cover(pick: RoutedPick): Promise<TollgateError | undefined>;
}

export interface OpenedSession {
  readonly socket: Extract<Handshake, { kind: 'open' }>['socket'];
  readonly plan: Plan;
  readonly pick: RoutedPick;
  /** What the session has taken of the limits of its key, to be left at its end; undefined where the key has none. */
  readonly place: KeyPlace | undefined;
}

type OpenSocket = Pick<OpenedSession, 'socket' | 'plan'>;

/** A session is counted as one request when it opens, and by the tokens of its turns. */
const noTokens = { prompt: 0, answer: 0 } as const;
const SUBPROTOCOLS = ['realtime'];
const HANDSHAKE_MS = 10_000;

export class RealtimeHandshakes {
  readonly #deps: HandshakeDeps;
  readonly #templates: CallTemplates;

  constructor(deps: HandshakeDeps) {
    this.#deps = deps;
    // A refused handshake teaches nothing.
    this.#templates = new CallTemplates(deps, { wordFor: () => undefined });
  }

  /**
   * The open socket. Throws the last failure, else why the balance did not reach for a group, `all_channels_cooling` or
   * `no_channel_for_model`; `read_request_body_failed` when the client has left.
   */
  async open(request: HandshakeRequest): Promise<OpenedSession> {
    const { exchange, route, trail, disabling } = request;
    const { options } = exchange.view;
    const allowed = options.get('RetryTimes');
    const tale = new Tale(request.shortage);
    const leaving = new AbortController();
    exchange.sink.onGone(() => leaving.abort());
    if (exchange.sink.gone) leaving.abort();
    for (let index = 0; ; ) {
      request.leave();
      const pick = route.next(index);
      if (pick === undefined) throw tale.failure(route, request.model);
      tale.pick = pick;
      request.enter(pick);
      const { id, limits } = pick.key;
      const place = limits && (await this.#deps.keyLimits.take({ id, limits }, () => noTokens));
      if (place?.fullMs !== undefined) {
        route.skip(pick, place.fullMs);
        continue;
      }
      const tooDear = await request.cover(pick).catch((error) => {
        place?.left();
        throw error;
      });
      if (tooDear !== undefined) {
        place?.passedOver();
        route.passOverGroup(pick.group);
        tale.refusal = tooDear;
        continue;
      }
      // Whoever left while quota or room was looked for has nothing opened.
      if (exchange.sink.gone) {
        place?.passedOver();
        throw new TollgateError('read_request_body_failed');
      }
      trail.begin(pick);
      const startedMs = performance.now();
      const tried = await this.#try(request, pick, leaving.signal).catch((error) => {
        place?.left();
        throw error;
      });
      if ('plan' in tried) {
        route.succeeded(pick);
        this.#deps.health.succeeded(pick);
        return { ...tried, pick, place };
      }
      place?.left();
      place?.used(0);
      // Nobody waits any more, and a handshake that was called off speaks against no channel.
      if (exchange.sink.gone) {
        trail.calledOff(pick, performance.now() - startedMs);
        throw new TollgateError('read_request_body_failed');
      }
      const failed = underStatus(maskedFor(tried.failed, pick), pick.channel.statusCodeMapping);
      trail.failed(pick, failed, performance.now() - startedMs);
      route.failed(pick);
      const { id: requestId } = exchange;
      this.#deps.health.failed(pick, failed.failure, { requestId, model: request.model, disabling });
      tale.add(failed);
      const { fields } = failed.failure;
      const again = mayRetry({
        nature: failed.nature,
        status: fields.status,
        scope: fields.retry,
        contentSent: false,
        clientGone: exchange.sink.gone,
        attemptsLeft: exchange.ageMs >= this.#deps.retryMaxMs ? 0 : allowed - index,
        pinned: route.isPinned,
        retryClass: 'A',
        statuses: options.get('AutomaticRetryStatusCodes'),
      });
      if (!again) throw tale.failure(route, request.model);
      index += 1;
    }
  }

  async #try(
    request: HandshakeRequest,
    pick: RoutedPick,
    calledOff: AbortSignal,
  ): Promise<OpenSocket | { readonly failed: FailedAttempt }> {
    const { exchange, model } = request;
    const { channel, key } = pick;
    const { endpoint, view } = exchange;
    const found = this.#templates.of({ endpoint, channel, key, model, stream: false, options: view.options });
    if ('unsayable' in found) throw found.unsayable;
    if ('failed' in found) return found;
    if (found.template.auth.kind === 'signed') return { failed: misconfigured(found.template, 'invalid_api_type') };
    let plan: Plan;
    try {
      plan = planOf(found.template, exchange, key.secret);
    } catch (error) {
      if (!(error instanceof TollgateError)) throw error;
      return { failed: misconfigured(found.template, error.code, error.cause) };
    }
    let answer: Handshake;
    try {
      const { destination, headers } = plan.request;
      const { subprotocols: protocols = SUBPROTOCOLS } = plan.adapter;
      const timeoutMs = HANDSHAKE_MS;
      answer = await this.#deps.transport.openSocket({ destination, headers, protocols, timeoutMs, calledOff });
    } catch (error) {
      if (error instanceof TransportError) return { failed: brokenTransport(plan, error, 'before-head') };
      throw error;
    }
    if (answer.kind === 'open') return { socket: answer.socket, plan };
    const { status, headers, body } = answer;
    const failure = plan.adapter.readFailure({ status, headers, body, call: plan.call, nowMs: this.#deps.now() });
    return { failed: { failure, nature: 'status' } };
  }
}

/** A plan that is settled and logged like any other; nothing of it is ever read as an answer. */
function planOf(template: CallTemplate, { endpoint, request }: Exchange, secret: string): Plan {
  const { adapter, call, names, destination, headers, timeouts } = template;
  const { pass_headers: wished, header_override: override } = call.setting;
  const passed = passedHeaders(request.headers, endpoint.format, wished);
  const own = overriddenHeaders(override, { apiKey: () => secret, client: request.headers });
  return {
    adapter,
    call,
    names,
    lane: callLane({ conversion: undefined, read: () => ({ kind: 'unreadable' }) }),
    request: {
      method: 'GET',
      destination: { ...destination, url: destination.url.replace(/^http/, 'ws') },
      headers: withChanges(headers, [...passed, ...own]),
      body: undefined,
      timeouts,
    },
    droppedFields: [],
    hasStreamOptions: false,
    isPseudoStream: false,
  };
}
