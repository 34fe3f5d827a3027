/**
 * The one way to addresses that were configured or came from users (management-api.md 8.2, S6): the guard decides where
 * a connection may end, redirects are not followed, time and answer are limited.
 */
import { Agent, buildConnector, request } from 'undici';
import type { AddressGuard } from '../upstream/address-guard.ts';

export interface GuardedCall {
  readonly url: string;
  /** GET when undefined. */
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** `status` where the status says all: what follows it is not waited for, and the body is "". `whole` when undefined. */
  readonly answer?: 'whole' | 'status';
}

export interface GuardedAnswer {
  readonly status: number;
  /** At most 1 MiB. */
  readonly body: string;
}

/** Rejects when the guard refuses, nobody answers in time, or the answer is too large; the reason is for operators. */
export type GuardedFetch = (call: GuardedCall) => Promise<GuardedAnswer>;

export interface GuardedFetchOptions {
  /** From the first packet to the last byte; 5 s when undefined. */
  readonly timeoutMs?: number;
  /** Bytes; 1 MiB when undefined. */
  readonly largestAnswer?: number;
}

/** A fetch for addresses of the class `guarded`. Connections are not kept, so there is nothing to close. */
export function guardedFetch(guard: AddressGuard, options: GuardedFetchOptions = {}): GuardedFetch {
  const { timeoutMs = 5000, largestAnswer = 1024 * 1024 } = options;
  return async ({ url, method = 'GET', headers = {}, body, answer: wanted = 'whole' }) => {
    const target = new URL(url);
    guard.checkUrl(target, 'guarded');
    const port = target.port || (target.protocol === 'https:' ? '443' : '80');
    // The resolver of the guard, so that the address that was checked is the one that is connected to.
    const connect = buildConnector({ timeout: timeoutMs, lookup: guard.lookup('guarded', port) });
    const dispatcher = new Agent({ connect, pipelining: 0 });
    try {
      const answer = await request(target, {
        dispatcher,
        method,
        headers: { 'user-agent': 'tollgate', 'accept-encoding': 'identity', ...headers },
        signal: AbortSignal.timeout(timeoutMs),
        ...(body === undefined ? {} : { body }),
      });
      if (wanted === 'status') {
        // Destroying the dispatcher ends what still comes, which nobody is left to hear of.
        answer.body.on('error', () => undefined);
        return { status: answer.statusCode, body: '' };
      }
      return { status: answer.statusCode, body: await readUpTo(answer.body, largestAnswer) };
    } finally {
      await dispatcher.destroy();
    }
  };
}

async function readUpTo(parts: AsyncIterable<Buffer>, limit: number): Promise<string> {
  const kept: Buffer[] = [];
  let size = 0;
  for await (const part of parts) {
    size += part.length;
    if (size > limit) throw new Error('the answer is larger than it may be');
    kept.push(part);
  }
  return Buffer.concat(kept).toString('utf8');
}

/** The members of a JSON object in a successful answer; throws when it is anything else. */
export function jsonObjectOf({ status, body }: GuardedAnswer): Readonly<Record<string, unknown>> {
  if (status < 200 || status > 299) throw new Error(`answered ${status}`);
  const value = parsed(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('answered no JSON object');
  return { ...value };
}

/** Without the parser's own message, which shows part of what was answered: that may be a token. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** The text member of this name; "" when it is anything else. */
export function textMember(members: Readonly<Record<string, unknown>>, name: string): string {
  const value = Object.hasOwn(members, name) ? members[name] : undefined;
  return typeof value === 'string' ? value : '';
}

/** A body of the form type, with the header that says so. */
export function formBody(fields: Readonly<Record<string, string>>): { body: string; headers: Record<string, string> } {
  return {
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  };
}
