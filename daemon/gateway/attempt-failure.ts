/** Failures of an attempt that no adapter reads, because the upstream said nothing readable (relay.md 4.1, 11.8). */
import { type ErrorCode, formatError } from '../contract/error-codes.ts';
import type { ChannelPick } from '../domain/channel-selection.ts';
import { UpstreamFailure, type UpstreamFailureFields } from '../errors.ts';
import type { ImageFacts } from '../relay/call-format.ts';
import type { Usage } from '../relay/canonical/usage.ts';
import { readAs } from '../relay/failure.ts';
import { maskText, maskWord } from '../relay/failure-mask.ts';
import type { ProviderAdapter } from '../relay/provider.ts';
import { WrongClock } from '../upstream/auth/index.ts';
import type { TransportError } from '../upstream/transport.ts';
import type { FailureNature } from './retry-decision.ts';
import { SideCallFailed } from './side-call.ts';

/** What an upstream had done by the time an attempt ended without an answer. */
export interface Spent {
  readonly usage: Usage;
  /** The images that had been made, for their price. */
  readonly image?: ImageFacts;
  /** Requests of a divided call that had been answered. */
  readonly parts?: number;
}

export interface FailedAttempt {
  readonly failure: UpstreamFailure;
  readonly nature: FailureNature;
  /** As the upstream had reported by then; undefined where it had said nothing of it. */
  readonly spent?: Spent;
}

/** Statuses of an upstream that tell the client what to repair: shown before any other failure (11.6). */
const CLIENT_FAULTS = new Set([400, 413, 422]);

export function isClientFault({ failure, nature }: FailedAttempt): boolean {
  const { upstreamStatus } = failure.fields;
  return nature === 'status' && upstreamStatus !== undefined && CLIENT_FAULTS.has(upstreamStatus);
}

/** The plan's part that failures name: the provider, for operators. */
interface Origin {
  readonly adapter: { readonly id: string };
}

const CHANNEL_FAILURE = { scope: 'channel', cause: 'failure' } as const;

function localFailure(
  origin: Origin,
  code: ErrorCode,
  rest: Pick<UpstreamFailureFields, 'status' | 'health' | 'retryAfterSeconds'> & {
    cause?: unknown;
    cools: 'yes' | 'no';
  },
): UpstreamFailure {
  const clientText = formatError(code, {}, 'en');
  const detail = rest.cause instanceof Error ? describe(rest.cause) : '';
  return new UpstreamFailure({
    provider: origin.adapter.id,
    status: rest.status,
    type: 'tollgate_error',
    code,
    clientText,
    own: { code, params: {} },
    operatorText: detail === '' ? clientText : `${clientText}: ${detail}`,
    retry: 'next-channel',
    health: rest.health,
    ...(rest.cools === 'yes' ? { cooling: CHANNEL_FAILURE } : {}),
    ...(rest.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: rest.retryAfterSeconds }),
    ...(rest.cause === undefined ? {} : { cause: rest.cause }),
  });
}

/** The innermost reason of a network error: what an operator can act on. */
function describe(error: Error): string {
  const inner = error.cause instanceof Error ? error.cause : error;
  return inner.message;
}

/** A call that broke, before the status line or inside the body. */
export function brokenTransport(
  origin: Origin,
  error: TransportError,
  where: 'before-head' | 'in-body',
): FailedAttempt {
  switch (error.kind) {
    case 'headers-timeout':
    case 'first-token-timeout':
    case 'idle-timeout':
    case 'total-timeout': {
      const failure = localFailure(origin, 'upstream_timeout', {
        status: 504,
        health: 'soft',
        cause: error,
        cools: 'yes',
      });
      return { failure, nature: 'timeout' };
    }
    case 'exhausted': {
      const rest = { status: 503, health: 'none', cause: error, cools: 'no', retryAfterSeconds: 1 } as const;
      return { failure: localFailure(origin, 'over_capacity', rest), nature: 'local' };
    }
    case 'undecodable':
      return unusableReply(origin, 'bad_response_body', error);
    case 'refused-address':
    case 'invalid-request':
    case 'connect':
    case 'reset': {
      const code = where === 'before-head' ? 'do_request_failed' : 'read_response_body_failed';
      const failure = localFailure(origin, code, { status: 502, health: 'soft', cause: error, cools: 'yes' });
      return { failure, nature: error.requestWritten ? 'broken' : 'unsent' };
    }
  }
}

/** A 2xx whose body says nothing that can be used (REQ-11). */
export function unusableReply(
  origin: Origin,
  code: 'empty_response' | 'bad_response_body',
  cause?: unknown,
): FailedAttempt {
  return {
    failure: localFailure(origin, code, { status: 502, health: 'soft', cause, cools: 'yes' }),
    nature: 'unusable',
  };
}

/** Bytes of a foreign host's refusal that operators are shown. */
const MAX_REFUSAL_TEXT = 500;

/** What a host that an upstream named refused: no word of the upstream's own. */
export function foreignRefusal(origin: Origin, status: number, said: string): FailedAttempt {
  return unusableReply(origin, 'bad_response_body', new Error(`status ${status}: ${said.slice(0, MAX_REFUSAL_TEXT)}`));
}

/** A channel that cannot be asked at all, because of how it is configured. */
export function misconfigured(origin: Origin, code: ErrorCode, cause?: unknown): FailedAttempt {
  const health = code === 'channel:invalid_key' || code === 'channel:no_available_key' ? 'hard' : 'none';
  return { failure: localFailure(origin, code, { status: 500, health, cause, cools: 'no' }), nature: 'channel' };
}

/**
 * A call that could not be signed: its key is wrong, unless those who trade it for a token could not be asked, or a
 * clock is wrong.
 */
export function unsigned(origin: Origin, cause: unknown): FailedAttempt {
  const isClock = cause instanceof WrongClock;
  if (!isClock && (!(cause instanceof SideCallFailed) || isRefusal(cause.status))) {
    return misconfigured(origin, 'channel:invalid_key', cause);
  }
  const health = isClock ? 'none' : 'soft';
  const failure = localFailure(origin, 'do_request_failed', { status: 502, health, cause, cools: 'yes' });
  return { failure, nature: 'unsent' };
}

function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

/** A vendor that was switched off: nothing is ever sent to it. */
export function retired({ id, label, retired: facts }: ProviderAdapter): FailedAttempt {
  const vendor = label.en.replace(/ \(.*$/, '');
  const code = 'channel_type_retired';
  const params = { vendor, successor: facts?.successor ?? '' };
  const text = formatError(code, params, 'en');
  const failure = new UpstreamFailure({
    provider: id,
    status: 410,
    type: 'tollgate_error',
    code,
    clientText: text,
    own: { code, params },
    operatorText: text,
    retry: 'next-channel',
    health: 'hard',
  });
  return { failure, nature: 'channel' };
}

/** The node stops before the upstream has answered: nobody's fault, and the same on every channel. */
export function interrupted(origin: Origin): FailedAttempt {
  const rest = { status: 503, health: 'none', cools: 'no', retryAfterSeconds: 5 } as const;
  const failure = localFailure(origin, 'shutting_down', rest);
  return { failure, nature: 'local' };
}

/** The failure without what only the channel's row knows: its key and its name (REQ-33). */
export function maskedFor(failed: FailedAttempt, pick: ChannelPick): FailedAttempt {
  const { fields } = failed.failure;
  if (fields.upstreamStatus === undefined) return failed;
  const { secret } = pick.key;
  const masked = (text: string) => maskText(text, { baseUrl: '', secrets: [secret, pick.channel.record.name] });
  const clientText = masked(fields.clientText);
  const kept = fields.keptText === undefined ? {} : { keptText: masked(fields.keptText) };
  // Operators need hosts and account names, but nobody needs a key.
  const operatorText = secret === '' ? fields.operatorText : fields.operatorText.replaceAll(secret, '***');
  const word = (text: string) => maskWord(text, { baseUrl: '', secret });
  const [type, code] = [word(fields.type), word(fields.code)];
  const param = typeof fields.param === 'string' ? { param: word(fields.param) } : {};
  const texts = { clientText, ...kept, operatorText };
  return { ...failed, failure: new UpstreamFailure({ ...fields, type, code, ...param, ...texts }) };
}

/** The failure under the status that the channel's mapping gives it. */
export function underStatus(failed: FailedAttempt, mapping: ReadonlyMap<number, number>): FailedAttempt {
  const { fields } = failed.failure;
  const isStatus = failed.nature === 'status' || failed.nature === 'lost';
  const mapped = isStatus && fields.upstreamStatus !== 200 ? mapping.get(fields.status) : undefined;
  if (mapped === undefined || mapped === fields.status) return failed;
  // What the adapter thought of the old status no longer counts.
  return { ...failed, failure: readAs(failed.failure, mapped) };
}
