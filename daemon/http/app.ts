/**
 * HTTP in front of everything: this room turns requests into calls and answers into bytes. It knows Koa and the
 * contract, never SQL. This file: assembly and the order of middleware, nothing else.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import Koa from 'koa';
import type { Endpoint } from '../contract/endpoint.ts';
import type { Language } from '../contract/error-codes.ts';
import { TollgateError } from '../errors.ts';
import { RequestIds } from '../gateway/request-id.ts';
import type { RequestFacts } from './call.ts';
import { exposedHeaders } from './cross-origin.ts';
import { type DispatchDeps, Dispatcher } from './dispatch.ts';
import type { Route } from './implement.ts';
import { type AccessEntry, accessLog } from './middleware/access-log.ts';
import { clientAddressOf, isLocalClient, isSecureClient, type TrustedProxies } from './middleware/client-address.ts';
import { compression } from './middleware/compression.ts';
import { languageOf } from './middleware/language.ts';
import { securityHeaders } from './middleware/security-headers.ts';
import { type FailureSurface, renderFailure, renderUnknownPath } from './render-failure.ts';
import { requestIdHeaders } from './request-id-headers.ts';
import { RouteTable } from './route-table.ts';
import { type HealthDeps, healthRoutes } from './routes/health.ts';
import { Pages, type PagesDeps } from './routes/pages.ts';

/** Looks at a request before everything else; true when it is the relay's and will be answered there. */
export type RelayListener = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface AppDeps extends DispatchDeps, HealthDeps, PagesDeps {
  readonly routes: readonly Route[];
  readonly trustedProxies: TrustedProxies;
  /** Language of the failures of look-alikes, by the `Accept-Language` of the call: that of the relay (D24). */
  readonly relayLanguage: (acceptLanguage: string | undefined) => Language;
  /** Stands before all middleware, so that the hot path runs none of it. */
  readonly relay?: RelayListener;
  readonly logAccess: (entry: AccessEntry) => void;
  /** Told about everything thrown; `bug` failures deserve a stack trace. */
  readonly reportFailure: (error: unknown, request: RequestFacts) => void;
}

interface AppState extends Koa.DefaultState {
  facts: RequestFacts;
  /** As the matched endpoint declares them. */
  failures?: Endpoint['failures'];
  refusalStatus?: Endpoint['refusalStatus'];
}

/** The listener for `http.createServer`. */
export function createRequestListener(deps: AppDeps): RequestListener {
  const app = new Koa<AppState>();
  const ids = new RequestIds();
  app.silent = true;
  app.use((ctx, next) => {
    ctx.state.facts = factsOf(ctx, ids.next(), deps.trustedProxies);
    ctx.set({ ...securityHeaders, ...requestIdHeaders(ctx.state.facts.requestId) });
    return next();
  });
  app.use(healthRoutes(deps));
  app.use(accessLog(deps.logAccess));
  app.use(failureGuard(deps));
  app.use(compression);
  app.use(api(deps));
  app.use(pages(deps));
  const listener = app.callback();
  const { relay } = deps;
  return (request, response) => {
    if (relay?.(request, response)) return;
    void listener(request, response);
  };
}

function factsOf(ctx: Koa.Context, requestId: string, trusted: TrustedProxies): RequestFacts {
  const header = (name: string): string | undefined => {
    const value = ctx.req.headers[name];
    return Array.isArray(value) ? value.join(',') : value;
  };
  return {
    requestId,
    clientAddress: clientAddressOf(ctx.req, trusted),
    isLocal: isLocalClient(ctx.req),
    isSecure: isSecureClient(ctx.req, trusted),
    userAgent: (header('user-agent') ?? '').slice(0, 500),
    language: languageOf(queryMember(ctx.querystring, 'lang'), header('accept-language')),
    header,
  };
}

function queryMember(query: string, name: string): string | undefined {
  return new URLSearchParams(query).get(name) ?? undefined;
}

function failureGuard(deps: AppDeps): Koa.Middleware<AppState> {
  return async (ctx, next) => {
    const { facts } = ctx.state;
    try {
      await next();
    } catch (error) {
      deps.reportFailure(error, facts);
      if (isClosedCallback(error, ctx.state)) return unknownPath(ctx);
      const surface = surfaceOf(ctx);
      const { requestId } = facts;
      const language = surface === 'billing' ? deps.relayLanguage(facts.header('accept-language')) : facts.language;
      const rendered = renderFailure(error, { surface, language, requestId, refusalStatus: ctx.state.refusalStatus });
      ctx.status = rendered.status;
      ctx.set({ ...rendered.headers, 'Cache-Control': 'no-store' });
      // A body that was not read to its end must not be taken for the next request.
      if (!ctx.req.complete) ctx.set('Connection', 'close');
      sendBody(ctx, rendered.body);
    }
  };
}

function surfaceOf(ctx: Koa.ParameterizedContext<AppState>): FailureSurface {
  const { failures } = ctx.state;
  if (failures !== undefined) return failures === 'openai' ? 'billing' : failures;
  return isApi(ctx.path) ? 'management' : 'page';
}

/** A payment provider's notification while payment is not set up: there is nothing here (S3). */
function isClosedCallback(error: unknown, { failures }: AppState): boolean {
  return failures === 'callback' && error instanceof TollgateError && error.code === 'pay_off';
}

function api(deps: AppDeps): Koa.Middleware<AppState> {
  const table = new RouteTable(deps.routes);
  const dispatcher = new Dispatcher(deps);
  return async (ctx, next) => {
    const isPreflight = ctx.method === 'OPTIONS';
    const match = hasPlainUrl(ctx.req) ? table.find(ctx.method, ctx.path) : undefined;
    const asked = isPreflight && match ? table.find('GET', ctx.path) : match;
    if (asked?.kind === 'match' && asked.route.endpoint.crossOrigin === 'anyone') {
      ctx.set({ 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': exposedHeaders });
      if (isPreflight) return answerPreflight(ctx);
    }
    if (match?.kind === 'match') {
      ctx.state.failures = match.route.endpoint.failures;
      ctx.state.refusalStatus = match.route.endpoint.refusalStatus;
      await dispatcher.answer(ctx, match, ctx.state.facts);
      return;
    }
    if (!isApi(ctx.path) && !match) return next();
    const { clientAddress } = ctx.state.facts;
    await deps.limits.admit('standard', { clientAddress, userId: undefined }, (headers) =>
      ctx.set(Object.fromEntries(headers)),
    );
    if (match) {
      ctx.set('Allow', match.allow);
      const read = table.find('GET', ctx.path);
      if (read?.kind === 'match' && read.route.endpoint.failures === 'openai') return wrongMethod(ctx);
      throw new TollgateError('method_not_allowed');
    }
    unknownPath(ctx);
  };
}

function answerPreflight(ctx: Koa.Context): void {
  const asked = ctx.get('Access-Control-Request-Headers') || 'Authorization';
  ctx.set({ 'Access-Control-Allow-Methods': 'GET', 'Access-Control-Allow-Headers': asked });
  ctx.set('Access-Control-Max-Age', '43200');
  ctx.status = 204;
}

function pages(deps: AppDeps): Koa.Middleware<AppState> {
  const site = new Pages(deps);
  return async (ctx) => {
    const { clientAddress, language } = ctx.state.facts;
    const isPlainRead = isRead(ctx) && hasPlainUrl(ctx.req);
    if (!site.isFile(ctx.path)) await deps.limits.admitPage(clientAddress);
    if (deps.pagesElsewhere && isPlainRead) {
      ctx.status = 301;
      ctx.set('Location', deps.pagesElsewhere.replace(/\/+$/, '') + ctx.path);
      return;
    }
    const accepts = (encoding: string) => ctx.acceptsEncodings(encoding) === encoding;
    const page = isPlainRead ? site.find({ path: ctx.path, language, accepts }) : undefined;
    if (!page) return unknownPath(ctx);
    ctx.status = 200;
    ctx.body = page.body;
    ctx.set(page.headers);
    if (ctx.fresh) ctx.status = 304;
  };
}

function unknownPath(ctx: Koa.Context): void {
  ctx.status = 404;
  ctx.set('Cache-Control', 'no-store');
  sendBody(ctx, renderUnknownPath(ctx.method, ctx.path.slice(0, 200)));
}

/** On the look-alikes, which answer as the relay does. */
function wrongMethod(ctx: Koa.Context): void {
  ctx.status = 405;
  ctx.set('Cache-Control', 'no-store');
  sendBody(ctx, renderUnknownPath(ctx.method, ctx.path, 'method_not_allowed'));
}

function sendBody(ctx: Koa.Context, body: unknown): void {
  ctx.type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8';
  ctx.body = typeof body === 'string' ? body : JSON.stringify(body);
}

function isApi(path: string): boolean {
  return path === '/api' || path.startsWith('/api/');
}

function isRead(ctx: Koa.Context): boolean {
  return ctx.method === 'GET' || ctx.method === 'HEAD';
}

/** Only what a client of ours writes: no absolute form, no encoded or doubled slashes, no parameters in the path (S18). */
function hasPlainUrl(request: IncomingMessage): boolean {
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  return /^\/(?!\/)[A-Za-z0-9._~/-]*$/.test(path) && !path.includes('//') && !path.includes('..');
}
