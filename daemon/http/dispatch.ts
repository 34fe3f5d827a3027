/** Takes a management call through its declaration: access, rate class, human check, body, handler, envelope. */
import { Readable } from 'node:stream';
import type Koa from 'koa';
import { bodyLimitOf, bodyValuesOf, type Endpoint } from '../contract/endpoint.ts';
import { packSuccess } from '../contract/envelope.ts';
import { type Language, notices } from '../contract/error-codes.ts';
import { eventStreamType } from '../contract/event-stream.ts';
import { roles } from '../contract/roles.ts';
import { type Actor, mayActOn } from '../domain/actor.ts';
import type { ApiLimits } from '../domain/api-limits.ts';
import { type Authentication, endsSession, type Presented } from '../domain/authentication.ts';
import type { HumanCheck } from '../domain/human-check.ts';
import type { IdempotentCalls } from '../domain/idempotency.ts';
import type { LimitHeaders } from '../domain/limits.ts';
import type { StepUp } from '../domain/step-up.ts';
import { TollgateError } from '../errors.ts';
import type { RequestFacts, SessionCookie } from './call.ts';
import { EventBody } from './event-stream.ts';
import { isEventsAnswer, isFileAnswer, type RawCall, type Route, type RouteAnswer } from './implement.ts';
import { parseForm, parseJsonObject, readBody } from './middleware/body.ts';
import { keyHeaders, type PresentedRelayKey, type RelayKeyCaller, type RelayKeyCheck } from './middleware/relay-key.ts';
import { presentedBy } from './presented.ts';
import type { RouteMatch } from './route-table.ts';
import { readSessionCookie, type SessionSigner, sessionCookie } from './session-cookie.ts';
import { textOf } from './written-answer.ts';

export interface DispatchDeps {
  readonly authentication: Authentication;
  readonly limits: ApiLimits;
  readonly humanCheck: Pick<HumanCheck, 'require'>;
  readonly relayKeys: RelayKeyCheck;
  readonly idempotency: Pick<IdempotentCalls, 'run'>;
  readonly stepUp: Pick<StepUp, 'require'>;
  readonly signer: SessionSigner;
  /** Whether cookies are marked `Secure` for a request that came as told. */
  readonly secureCookies: (isSecure: boolean) => boolean;
  /** Sees what every handler returns; tests compare it with the declared output. */
  readonly inspectAnswer?: (endpoint: Endpoint, value: unknown) => void;
}

/** Who was found to call; at most one of the two. */
interface Caller {
  readonly actor: Actor | undefined;
  readonly caller: RelayKeyCaller | undefined;
}

/** What a call shows of its caller, with the headers that may hold a relay key and the one that its query names ("" for none). */
type PresentedCall = Presented & { readonly namedKey: string; readonly keys: PresentedRelayKey['headers'] };

const nobody: Caller = { actor: undefined, caller: undefined };

export class Dispatcher {
  readonly #deps: DispatchDeps;

  constructor(deps: DispatchDeps) {
    this.#deps = deps;
  }

  /** Answers a matched call on its Koa context; throws what refuses it. */
  async answer(ctx: Koa.Context, match: RouteMatch, request: RequestFacts): Promise<void> {
    const { endpoint } = match.route;
    const presented = presentedBy(request, readSessionCookie(ctx.req, this.#deps.signer));
    const session = sessionCookie({
      presented: presented.session,
      isSecure: this.#deps.secureCookies(request.isSecure),
      signer: this.#deps.signer,
      send: (header) => ctx.append('Set-Cookie', header),
    });
    if (endpoint.crossSite !== undefined && request.header('sec-fetch-site') === 'cross-site') {
      throw new TollgateError(endpoint.crossSite);
    }
    const query = new URLSearchParams(ctx.querystring);
    const namedKey = query.get('key') ?? '';
    const keys = Object.fromEntries(keyHeaders.map((name) => [name, request.header(name)]));
    const tell = (headers: LimitHeaders) => ctx.set(Object.fromEntries(headers));
    const caller = await this.#admit(endpoint, { ...presented, namedKey, keys }, { session, tell });
    if (endpoint.freshProof && caller.actor) {
      await this.#deps.stepUp.require(caller.actor, session.id, endpoint.freshProof);
    }
    await this.#checkHuman(endpoint, { request, session, response: query.get('turnstile') ?? undefined });
    const raw: RawCall = {
      method: match.method,
      pathMembers: match.pathMembers,
      query,
      body: await this.#body(ctx, match, presented),
      ...caller,
      request,
      session,
    };
    const { answer, replayed } = await this.#answerOnce(match.route, raw);
    if (replayed) ctx.set('Idempotency-Replayed', 'true');
    send(ctx, match.route, answer, {
      language: request.language,
      inspect: this.#deps.inspectAnswer,
      mayGoOn: () => this.#identify(endpoint, { ...presented, namedKey, keys }),
    });
  }

  /** The handler's answer, or that of the first call with the same `Idempotency-Key`. */
  async #answerOnce(route: Route, raw: RawCall): Promise<{ answer: RouteAnswer; replayed: boolean }> {
    const { endpoint } = route;
    const key = endpoint.idempotency === 'key' ? raw.request.header('idempotency-key') : undefined;
    if (key === undefined || !raw.actor) return { answer: await route.answer(raw), replayed: false };
    const { pathMembers, body } = raw;
    const call = {
      actorId: raw.actor.userId,
      key,
      route: `${endpoint.method} ${endpoint.path}`,
      content: { pathMembers, query: Object.fromEntries(raw.query), body },
    };
    const { answer, replayed } = await this.#deps.idempotency.run(call, async () =>
      JSON.stringify(await route.answer(raw)),
    );
    return { answer: readAnswer(answer), replayed };
  }

  /** Finds out who calls and counts the call: for a known user by user, for everybody else by address (D23). */
  async #admit(
    endpoint: Endpoint,
    presented: PresentedCall,
    { session, tell }: { session: SessionCookie; tell: (headers: LimitHeaders) => void },
  ): Promise<Caller> {
    const { limits } = this.#deps;
    const rateClass = endpoint.rate ?? 'standard';
    const { clientAddress } = presented;
    if (endpoint.access === 'public') {
      await limits.admit(rateClass, { clientAddress, userId: undefined }, tell);
      return nobody;
    }
    let caller: Caller;
    try {
      caller = await this.#identify(endpoint, presented);
    } catch (error) {
      if (endsSession(error) && presented.session !== undefined) session.clear();
      await limits.admit('standard', { clientAddress, userId: undefined }, tell);
      throw error;
    }
    const { userId, machineToken, via } = caller.actor ?? {};
    await limits.admit(rateClass, { clientAddress, userId, machineTokenId: machineToken?.id }, tell);
    if (endpoint.credential === 'session-only' && via !== undefined && via !== 'session') {
      throw new TollgateError('access_token_not_supported');
    }
    return caller;
  }

  async #identify(endpoint: Endpoint, presented: PresentedCall): Promise<Caller> {
    const { authentication, relayKeys } = this.#deps;
    switch (endpoint.access) {
      case 'public':
        return nobody;
      case 'optional':
        return { ...nobody, actor: inScope(endpoint, await authentication.findOptional(presented)) };
      case 'key':
      case 'key-read': {
        const level = endpoint.access === 'key' ? 'use' : 'read';
        if (endpoint.ownKey === 'query' && presented.namedKey !== '') return this.#identifyOwner(endpoint, presented);
        const { keys: headers, clientAddress } = presented;
        return { ...nobody, caller: await relayKeys({ headers, clientAddress, level }) };
      }
      default:
        return { ...nobody, actor: inScope(endpoint, await authentication.require(presented, roles[endpoint.access])) };
    }
  }

  /** A signed-in user who names a key: it must be an own one, any other does not exist for them. */
  async #identifyOwner(endpoint: Endpoint, presented: PresentedCall): Promise<Caller> {
    const { authentication, relayKeys } = this.#deps;
    const actor = inScope(endpoint, await authentication.require(presented, roles.user));
    const { clientAddress, namedKey } = presented;
    const headers = { authorization: `Bearer ${namedKey}` };
    const caller = await relayKeys({ headers, clientAddress, level: 'read' });
    if (caller.user.id !== actor.userId) throw new TollgateError('token_not_found');
    return { ...nobody, caller };
  }

  async #checkHuman(
    endpoint: Endpoint,
    { request, session, response }: { request: RequestFacts; session: SessionCookie; response: string | undefined },
  ): Promise<void> {
    if (endpoint.humanCheck !== 'required') return;
    const { clientAddress, userAgent } = request;
    const opened = await this.#deps.humanCheck.require({ response, sessionId: session.id, clientAddress, userAgent });
    if (opened !== undefined) session.set(opened);
  }

  /** Read after access is known, so that nobody without an identity makes the process read a large body. */
  async #body(ctx: Koa.Context, match: RouteMatch, presented: Presented): Promise<Record<string, unknown>> {
    if (match.method === 'GET') return {};
    const bytes = await readBody(ctx.req, bodyLimitOf(match.route.endpoint));
    if (bytes.length === 0) return {};
    if (match.route.endpoint.bodyForm === 'form') return parseForm(bytes);
    // A page elsewhere can send forms and plain text with our cookie, but not JSON (1.1 rule 6).
    if (presented.session !== undefined && !ctx.is('application/json')) throw new TollgateError('json_type_required');
    return parseJsonObject(bytes, bodyValuesOf(match.route.endpoint));
  }
}

/** The caller, if what calls may do what the endpoint is for: a machine token by the scope declared there (D25). */
function inScope<A extends Actor | undefined>({ scope }: Endpoint, actor: A): A {
  if (actor?.machineToken === undefined || scope === 'any') return actor;
  if (scope === undefined) throw new TollgateError('machine_token_not_supported');
  if (!mayActOn(actor, scope)) throw new TollgateError('scope_missing', { scope });
  return actor;
}

interface SendContext {
  readonly language: Language;
  readonly inspect: ((endpoint: Endpoint, value: unknown) => void) | undefined;
  /** Rejects once the caller would be refused. */
  readonly mayGoOn: () => Promise<unknown>;
}

function send(
  ctx: Koa.Context,
  { endpoint }: Route,
  { value, page }: RouteAnswer,
  { language, inspect, mayGoOn }: SendContext,
): void {
  inspect?.(endpoint, value);
  ctx.status = 200;
  ctx.set('Cache-Control', 'no-store');
  if (endpoint.shape === 'file' && isFileAnswer(value)) {
    ctx.type = value.contentType;
    if (value.shownUnder === undefined) ctx.attachment(value.fileName);
    else ctx.set('Content-Security-Policy', value.shownUnder);
    ctx.body = typeof value.body === 'string' ? value.body : streamOf(value.body);
    return;
  }
  if (endpoint.shape === 'events' && isEventsAnswer(value)) {
    // Proxies must hand events on as they come.
    ctx.set({ 'Content-Type': eventStreamType, 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no' });
    ctx.body = new EventBody(value.events, { mayGoOn });
    return;
  }
  if (endpoint.shape === 'text') {
    ctx.type = 'text/plain; charset=utf-8';
    ctx.body = String(value);
    return;
  }
  const message = endpoint.notice === undefined ? '' : notices[endpoint.notice][language];
  const body = packSuccess(endpoint, value, endpoint.paging ? { message, page } : { message });
  ctx.type = 'application/json; charset=utf-8';
  ctx.body = textOf(body);
}

// The text was made of such an answer by this very class.
function readAnswer(text: string): RouteAnswer {
  return JSON.parse(text);
}

function streamOf(parts: AsyncIterable<string | Uint8Array>): Readable {
  return Readable.from(parts, { objectMode: false });
}
