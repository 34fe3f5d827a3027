/** Calls by method and path, for what has no typed function: tried, paced and told like those of the typed client. */
import type { ApiError } from '../daemon/contract/api-error.ts';
import type { CommandContext } from './context.ts';
import { CliError } from './errors.ts';
import { fetchFor } from './fetch.ts';
import { version } from './version.ts';

/** What answers of the API have in common; of an unknown address, `error` says it as the relay does. */
interface Envelope {
  success?: boolean;
  message?: string;
  code?: string;
  field?: string;
  data?: unknown;
  error?: unknown;
}

export interface RawCall {
  readonly method: string;
  readonly url: URL;
  readonly body: string | undefined;
}

export interface RawAnswer {
  readonly response: Response;
  readonly text: string;
}

/** What a server that is overloaded or not there says; it may be asked again. */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Makes the call in as many tries as the typed client would. Throws `ApiError` for no answer. */
export async function askedRaw(context: CommandContext, call: RawCall): Promise<RawAnswer> {
  const { ApiError } = await import('../daemon/contract/api-error.ts');
  const { inTries } = await import('../daemon/contract/tries.ts');
  const { endpointAt } = await import('./answer-fields.ts');
  const send = await sender(context, call);
  // What the contract does not know is counted like most of what it knows.
  const known = endpointAt(call.method, call.url.pathname);
  const repeatable = (call.method === 'GET' && known?.effect !== 'changes') || known?.idempotency === 'key';
  let last: RawAnswer | undefined;
  try {
    return await inTries(
      { endpoint: known ?? { access: 'user' }, repeatable },
      context.repetition.tries,
      async (paced) => {
        last = undefined;
        const answer = await send().catch((cause: unknown) => {
          if (cause instanceof CliError) throw cause;
          const isLate = cause instanceof Error && cause.name === 'TimeoutError';
          throw new ApiError({ code: isLate ? 'timeout' : 'network_error', message: String(cause), status: 0, cause });
        });
        paced?.answered(answer.response);
        if (!passing.has(answer.response.status)) return answer;
        last = answer;
        throw await failureOf(answer);
      },
    );
  } catch (error) {
    // What the server said last is the answer, whatever it was.
    if (last !== undefined && error instanceof ApiError) return last;
    throw error;
  }
}

/** Sends the call once, as often as it is called. */
async function sender(context: CommandContext, { method, url, body }: RawCall): Promise<() => Promise<RawAnswer>> {
  const target = await context.target();
  const refuseWrite = await context.readingOnly();
  const call = await fetchFor({
    ...context.wire,
    caFile: target.settings.ca_file,
    beforeCall: (sent) => (sent === 'GET' || sent === 'HEAD' ? undefined : refuseWrite?.()),
  });
  const headers = {
    'user-agent': `tollgate-cli/${version}`,
    'accept-language': context.language,
    ...(target.token === undefined ? {} : { authorization: target.token }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(method === 'POST' ? { 'idempotency-key': context.repetition.key } : {}),
  };
  return async () => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new DOMException('no answer in time', 'TimeoutError')), context.answerMs);
    try {
      const signal = late.signal;
      const response = await call(url.href, { method, headers, signal, ...(body === undefined ? {} : { body }) });
      clearTimeout(timer);
      return { response, text: await response.text() };
    } finally {
      clearTimeout(timer);
    }
  };
}

/** An answer that is a JSON object; undefined for any other. */
export function envelopeOf(text: string): Envelope | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    return typeof answer === 'object' && answer !== null ? answer : undefined;
  } catch {
    // Not every answer of the API is JSON.
    return undefined;
  }
}

/** What an answer that is a refusal says. */
export async function failureOf({ response, text }: RawAnswer): Promise<ApiError> {
  const { ApiError } = await import('../daemon/contract/api-error.ts');
  const { error, ...envelope } = envelopeOf(text) ?? {};
  const { code, message, field }: Envelope = typeof error === 'object' && error !== null ? error : envelope;
  const retryAfter = Number.parseInt(response.headers.get('retry-after') ?? '', 10);
  return new ApiError({
    code: code || `http_${response.status}`,
    message: message ?? (text.slice(0, 200).trim() || `HTTP ${response.status}`),
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
    field,
  });
}
