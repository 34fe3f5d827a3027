/**
 * The relay's front door: path to capability and format, before any session, cookie or catalogue code runs
 * (relay.md 2, 17.1, 17.2). Says what cannot be served; everything else is the gateway's.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { acceptedLanguage } from '../../contract/accepted-language.ts';
import type { Language } from '../../contract/error-codes.ts';
import type { ClientRequest, Endpoint } from '../../gateway/exchange.ts';
import { type ShownError, sendError } from '../../gateway/failure-answer.ts';
import { isForm } from '../../gateway/form.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import type { ListPage, ListShape } from '../../gateway/model-list.ts';
import type { RequestIds } from '../../gateway/request-id.ts';
import { exposedHeaders } from '../cross-origin.ts';
import { clientAddressOf, type TrustedProxies } from '../middleware/client-address.ts';
import { ResponseSink } from '../sink.ts';
import { TurnEnd } from '../turn-end.ts';
import { type ModelShape, matchRelayPath, pathOf, type RelayMatch } from './relay-paths.ts';

export interface RelayDeps {
  readonly gateway: Gateway;
  readonly trustedProxies: TrustedProxies;
  readonly ids: RequestIds;
}

/** A listener that answers relay paths and says false to all others. */
export function createRelayListener(deps: RelayDeps): (request: IncomingMessage, response: ServerResponse) => boolean {
  const addresses = new PeerAddresses(deps.trustedProxies);
  const turnEnd = new TurnEnd();
  return (request, response) => {
    const target = request.url ?? '';
    const path = pathOf(target);
    const method = request.method ?? 'GET';
    const match =
      path === undefined
        ? undefined
        : matchRelayPath(method === 'OPTIONS' ? 'POST' : method, path, () => queryOf(target));
    if (path === undefined || match === undefined) return false;
    const id = deps.ids.next();
    const sink = new ResponseSink(response, turnEnd, answerHeaders(id));
    // Anthropic's packages look for the id under this name alone.
    if (surfaceOf(match, request) === 'anthropic') sink.setHeader('Request-Id', id);
    if (method === 'OPTIONS') answerPreflight(request, response, id);
    else if (match.kind === 'call') {
      const facts = {
        id,
        endpoint: sentAs(deliveredAs(match.endpoint, target), request),
        request: clientRequest(request, { match, target, address: addresses.of(request) }),
        sink,
      };
      void deps.gateway.handle(facts);
    } else if (match.kind === 'drawing') {
      const asked = clientRequest(request, { match, target, address: addresses.of(request) });
      void deps.gateway.drawing({ id, endpoint: match.endpoint, request: asked, sink }, match.call);
    } else if (match.kind === 'song') {
      const asked = clientRequest(request, { match, target, address: addresses.of(request) });
      void deps.gateway.song({ id, endpoint: match.endpoint, request: asked, sink }, match.call);
    } else if (match.kind === 'models') {
      const query = queryOf(target);
      void deps.gateway.listModels(
        {
          id,
          endpoint: endpointOfList(request, match.shape, query),
          request: clientRequest(request, { match, target, address: addresses.of(request) }),
          sink,
        },
        { shape: listShape(request, match.shape, query), model: match.model, page: pageOf(query) },
      );
    } else {
      // Nobody will read what the client sends.
      request.resume();
      const language = acceptedLanguage(request.headers['accept-language']) ?? 'en';
      answerUnserved(match, { method, sink, id, language, shape: shapeOfUnserved(match, request) });
    }
    return true;
  };
}

function answerHeaders(id: string): string[] {
  return [
    'X-Request-Id',
    id,
    'X-Oneapi-Request-Id',
    id,
    'Access-Control-Allow-Origin',
    '*',
    'Access-Control-Expose-Headers',
    exposedHeaders,
  ];
}

function answerPreflight(request: IncomingMessage, response: ServerResponse, id: string): void {
  request.resume();
  const asked = request.headers['access-control-request-headers'];
  response.writeHead(204, [
    ...answerHeaders(id),
    'Access-Control-Allow-Methods',
    'GET, POST, PUT, DELETE, OPTIONS',
    'Access-Control-Allow-Headers',
    asked ?? '*',
    'Access-Control-Max-Age',
    '43200',
  ]);
  response.end();
}

type Unserved = Extract<RelayMatch, { kind: 'not-implemented' | 'not-found' | 'wrong-method' }>;

/** The dialect of what is answered. */
function surfaceOf(match: RelayMatch, request: IncomingMessage): Endpoint['surface'] {
  if (match.kind === 'models') return listShape(request, match.shape, queryOf(request.url ?? ''));
  const isServed = match.kind === 'call' || match.kind === 'drawing' || match.kind === 'song';
  return isServed ? match.endpoint.surface : shapeOfUnserved(match, request);
}

/** Anthropic's packages ask below `/v1` for what OpenAI's ask for too, and say who they are as with lists. */
function shapeOfUnserved({ endpoint }: Unserved, { headers }: IncomingMessage): Endpoint['surface'] {
  return endpoint.surface === 'openai' && headers['anthropic-version'] !== undefined ? 'anthropic' : endpoint.surface;
}

function answerUnserved(
  match: Unserved,
  to: { method: string; sink: ResponseSink; id: string; language: Language; shape: Endpoint['surface'] },
): void {
  const { method, sink, id, language, shape } = to;
  if (match.kind === 'wrong-method') sink.setHeader('Allow', match.allow);
  const shown = wordsFor(match, method, language);
  sendError({ sink, surface: shape, id }, shown.status, shown);
}

function wordsFor(match: Unserved, method: string, language: Language): ShownError {
  const plain = { param: '', retryAfterSeconds: undefined, isOwn: true };
  if (match.kind === 'not-implemented') {
    return {
      ...plain,
      status: 501,
      type: 'tollgate_error',
      code: 'api_not_implemented',
      message: 'API not implemented',
    };
  }
  const hint = match.kind === 'not-found' && match.hint !== undefined ? `; ${match.hint[language]}` : '';
  const message = `Invalid URL (${method} ${match.path})${hint}`;
  const type = 'invalid_request_error';
  if (match.kind === 'not-found') return { ...plain, status: 404, type, code: '', message };
  return { ...plain, status: 405, type, code: 'method_not_allowed', message };
}

function clientRequest(
  request: IncomingMessage,
  found: {
    match: Extract<RelayMatch, { kind: 'call' | 'models' | 'drawing' | 'song' }>;
    target: string;
    address: string;
  },
): ClientRequest {
  const { match, target } = found;
  const hasQuery = target.includes('key=');
  return {
    method: request.method ?? 'GET',
    path: match.path,
    headers: request.headers,
    // All of them, as a header that came more than once.
    queryKey: hasQuery ? queryOf(target).getAll('key').join(',') : undefined,
    apiVersion: target.includes('api-version=') ? (queryOf(target).get('api-version') ?? undefined) : undefined,
    body: request,
    clientAddress: found.address,
    pathModel: match.kind === 'call' ? match.pathModel : undefined,
    connection: request.socket,
  };
}

/** `alt=sse` asks for events where the path alone would mean an array. */
function deliveredAs(endpoint: Endpoint, target: string): Endpoint {
  if (endpoint.delivery !== 'json-array' || queryOf(target).get('alt') !== 'sse') return endpoint;
  return { ...endpoint, delivery: 'sse' };
}

/** One path asks for two things, told apart by the body's type. */
function sentAs(endpoint: Endpoint, request: IncomingMessage): Endpoint {
  return endpoint.asForm !== undefined && isForm(request) ? endpoint.asForm : endpoint;
}

function queryOf(target: string): URLSearchParams {
  const mark = target.indexOf('?');
  return new URLSearchParams(mark < 0 ? '' : target.slice(mark + 1));
}

function listShape(request: IncomingMessage, shape: ModelShape, query: URLSearchParams): ListShape {
  if (shape !== 'by-headers') return shape;
  if (request.headers['anthropic-version'] !== undefined) return 'anthropic';
  return request.headers['x-goog-api-key'] !== undefined || query.has('key') ? 'gemini' : 'openai';
}

/** A list's errors come in the shape of its items. */
function endpointOfList(request: IncomingMessage, shape: ModelShape, query: URLSearchParams): Endpoint {
  return {
    surface: listShape(request, shape, query),
    capability: 'chat',
    format: 'openai-chat',
    retryClass: 'A',
    rateLimited: false,
  };
}

function pageOf(query: URLSearchParams): ListPage {
  const limit = Number(query.get('limit') ?? query.get('pageSize') ?? Number.NaN);
  const afterId = query.get('after_id');
  const beforeId = query.get('before_id');
  const pageToken = query.get('pageToken');
  return {
    ...(Number.isInteger(limit) ? { limit } : {}),
    ...(afterId === null ? {} : { afterId }),
    ...(beforeId === null ? {} : { beforeId }),
    ...(pageToken === null ? {} : { pageToken }),
  };
}

/** Addresses of clients; that of an untrusted peer is worked out once per connection. */
class PeerAddresses {
  readonly #trusted: TrustedProxies;
  readonly #bySocket = new WeakMap<object, string>();

  constructor(trusted: TrustedProxies) {
    this.#trusted = trusted;
  }

  of(request: IncomingMessage): string {
    const known = this.#bySocket.get(request.socket);
    if (known !== undefined) return known;
    const address = clientAddressOf(request, this.#trusted);
    const peer = request.socket.remoteAddress;
    if (peer !== undefined && !this.#trusted.includes(peer)) this.#bySocket.set(request.socket, address);
    return address;
  }
}
