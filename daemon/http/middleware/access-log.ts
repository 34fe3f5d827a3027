/** One line a request, without anything secret (W27). */
import type Koa from 'koa';
import { clientRequestIdOf } from '../../gateway/request-id.ts';

/** Query members whose values never reach a log. */
const secretMembers = new Set(['key', 'token', 'code', 'hash', 'turnstile', 'state', 'verification_code', 'password']);

/** A search may be for a key that somebody pasted: one long word. */
const searchMember = 'keyword';
const looksLikeKey = (value: string): boolean => /^[\w.|+/=:-]{16,}$/.test(value);

export interface AccessEntry {
  readonly requestId: string;
  readonly method: string;
  /** Path and query, secret values masked. */
  readonly url: string;
  readonly status: number;
  readonly durationMs: number;
  readonly clientAddress: string;
  /** The client's own request id, at most 128 visible characters. */
  readonly clientRequestId: string | undefined;
}

/** Path and query as they may be logged. */
function loggableUrl(path: string, query: URLSearchParams): string {
  if (query.size === 0) return path.slice(0, 500);
  const parts = [...query].map(([name, value]) => {
    const isSecret = secretMembers.has(name.toLowerCase()) || (name === searchMember && looksLikeKey(value));
    const shown = isSecret ? '***' : encodedStart(value, 200);
    return `${encodedStart(name, 100)}=${shown}`;
  });
  return `${path}?${parts.join('&')}`.slice(0, 1000);
}

/** The first characters as a query writes them; half of one at the end cannot be written. */
function encodedStart(text: string, most: number): string {
  return encodeURIComponent(text.slice(0, most).replace(/[\uD800-\uDBFF]$/, ''));
}

/** Logs every answer after it was made. */
export function accessLog(log: (entry: AccessEntry) => void): Koa.Middleware<RequestState> {
  return async (ctx, next) => {
    const startedMs = performance.now();
    await next();
    log({
      requestId: ctx.state.facts.requestId,
      method: ctx.method,
      url: loggableUrl(ctx.path, new URLSearchParams(ctx.querystring)),
      status: ctx.status,
      durationMs: Math.round(performance.now() - startedMs),
      clientAddress: ctx.state.facts.clientAddress,
      clientRequestId: clientRequestIdOf(ctx.get('x-request-id') || undefined),
    });
  };
}

/** What the middleware before this one left on the context. */
interface RequestState extends Koa.DefaultState {
  facts: { readonly requestId: string; readonly clientAddress: string };
}
