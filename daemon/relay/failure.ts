/**
 * Judges an upstream's refusal: which status it has, who may try again, what cools, whether it speaks against the
 * channel (relay.md 4.3, 11.5, 11.8, 12.8). Vendors differ by data alone: their codes say what they mean, and where a
 * vendor gives no code, its sheet's texts do.
 */
import { type Cooling, type HealthSignal, type RetryScope, UpstreamFailure } from '../errors.ts';
import { type ReportedFailure, readFailureBody } from './failure-body.ts';
import { maskKeys, maskText, maskWord } from './failure-mask.ts';
import { longestMs, readRetryAfterMs, readWaitMs } from './failure-wait.ts';
import type { FailedReply } from './provider.ts';

/** What a refusal means, whatever its status says. */
export type FailureMeaning =
  /** The key is wrong, revoked or switched off. */
  | 'bad-key'
  /** What the key was traded for is no longer valid: the key itself may be. */
  | 'stale-token'
  /** The account has nothing left to spend. */
  | 'no-credit'
  /** The key may not do this: wrong model, region or plan. Says nothing of other calls. */
  | 'not-allowed'
  /** This upstream does not have the model, or what a request names by its id; another may. */
  | 'no-model'
  /** The request itself is at fault, everywhere. */
  | 'bad-request'
  | 'rate-limit'
  | 'overload';

/** One thing that a vendor's sheet says; all members given must hold. */
export interface FailureRule {
  readonly status?: number | readonly number[];
  /** `code` or `type` of the error, compared as text. */
  readonly code?: string | readonly string[];
  /** The member of the request that is at fault. */
  readonly param?: string;
  /** Only for vendors that give no code for it. */
  readonly text?: RegExp;
  readonly means: FailureMeaning;
  /** The code that clients know it by, where the vendor has only a number or a word of its own for it. */
  readonly tells?: 'context_length_exceeded' | 'content_filter';
  /** The status that clients know it by, where the vendor has one of its own for it. */
  readonly shows?: 413;
  /** Of `no-model`: it is the model that is missing, and nothing that the request names by its id. */
  readonly lacks?: 'model';
  /** Of `rate-limit`: it ends with the day or later, for the key or for this model of it alone. */
  readonly exhausts?: 'key' | 'model';
}

interface Judgement {
  /** Statuses that say what is meant; where the vendor's own is none of them, the first takes its place. */
  readonly statuses?: readonly [number, ...number[]];
  readonly retry: RetryScope;
  readonly health: HealthSignal;
  readonly aboutCredential: boolean;
}

const judgements: Readonly<Record<FailureMeaning, Judgement>> = {
  'bad-key': { statuses: [401, 402, 403], retry: 'next-key', health: 'hard', aboutCredential: true },
  'stale-token': { statuses: [401], retry: 'next-key', health: 'soft', aboutCredential: true },
  'no-credit': { statuses: [402, 401, 403], retry: 'next-key', health: 'hard', aboutCredential: true },
  'not-allowed': {
    statuses: [403, 400, 401, 402, 404],
    retry: 'next-channel',
    health: 'none',
    aboutCredential: true,
  },
  'no-model': { statuses: [404, 403], retry: 'next-channel', health: 'none', aboutCredential: false },
  'bad-request': {
    statuses: [400, 403, 404, 405, 409, 413, 415, 422, 451],
    retry: 'never',
    health: 'none',
    aboutCredential: false,
  },
  'rate-limit': { statuses: [429], retry: 'next-key', health: 'none', aboutCredential: false },
  overload: { statuses: [503, 529], retry: 'next-channel', health: 'none', aboutCredential: false },
};

const modelNotFound: FailureRule = { code: 'model_not_found', means: 'no-model', lacks: 'model' };

/** Signs that hold for every vendor (relay.md 12.8); the vendor's own rules come first. */
const commonRules: readonly FailureRule[] = [
  { code: ['invalid_api_key', 'account_deactivated', 'authentication_error', 'Arrearage'], means: 'bad-key' },
  { code: ['insufficient_quota', 'insufficient_user_quota', 'billing_not_active'], means: 'no-credit' },
  { status: [401, 403], code: ['permission_error', 'forbidden'], means: 'bad-key' },
  modelNotFound,
];

/** A refusal that names a model or region is about that one, not about the key (relay.md 12.8, guards). */
const narrowRefusal = /\bmodels?\b|\bregions?\b|\bcountry\b|\bterritory\b/i;

/** How vendors word a conversation that is too long for its model. */
const fullContext = new RegExp(
  [
    'maximum (?:context|prompt) length',
    'prompt is too long',
    'exceed (?:the )?context limit',
    'input is too long for requested model',
    'input token count .{0,40}exceeds the maximum number of tokens',
    'exceeds the available context size',
    'exceeded model token limit',
  ].join('|'),
  'i',
);

/** Reads a failure in the form that OpenAI-style servers share; `rules` are what the vendor's sheet adds. */
export function readFailure(reply: FailedReply, provider: string, rules: readonly FailureRule[] = []): UpstreamFailure {
  const reported = readFailureBody(reply.body);
  const status = statusOf(reply, reported);
  const toldMs = readWaitMs(reply.headers, reply.nowMs);
  const sign = signOf({ status, reported, waitMs: toldMs, rules });
  const waitMs = sign?.exhausts === undefined ? toldMs : longestMs;
  const meaning = sign?.means;
  const judged = meaning === undefined ? judgeStatus(status) : judgements[meaning];
  const shownStatus = sign?.shows ?? (judged.statuses?.includes(status) === false ? judged.statuses[0] : status);
  const { call } = reply;
  const withoutKey = call.withoutKey ?? String;
  const plain = (text: string) => beginningOf(withoutKey(text));
  const message = plain(reported?.message ?? '') || `bad response status code ${reply.status}`;
  const told = sign?.tells ?? toldByWords(status, reported, meaning);
  const vendorsCode = reported?.code ?? (call.format === 'anthropic-messages' ? reported?.type : undefined);
  // Operators look the vendor's own word up.
  const noted =
    sign?.tells === undefined || vendorsCode === undefined || vendorsCode === told ? '' : `${vendorsCode}: `;
  const word = (text: string) => maskWord(plain(text), { baseUrl: call.baseUrl, secret: call.organization ?? '' });
  const param = reported?.param === undefined ? String(shownStatus) : reported.param;
  const isLoad = shownStatus === 429 || shownStatus === 503 || shownStatus === 529;
  const pauseMs = shownStatus === 429 ? waitMs : readRetryAfterMs(reply.headers, reply.nowMs);
  const isModels = sign?.exhausts === 'model' || namesModel(reply, message);
  const cooling = coolingOf(shownStatus, { namesModel: isModels, waitMs: pauseMs });
  return new UpstreamFailure({
    provider,
    upstreamStatus: reply.status,
    status: shownStatus,
    type: word(reported?.type ?? 'upstream_error'),
    // Anthropic's form has a type alone, which is what its clients decide on.
    code: told ?? word(vendorsCode ?? 'bad_response_status_code'),
    param: param === null ? null : word(param),
    ...(reported?.details === undefined ? {} : { details: reported.details }),
    clientText: maskText(message, { baseUrl: call.baseUrl, secrets: [call.organization ?? ''] }),
    operatorText:
      reported === undefined ? `${message}: ${maskKeys(plain(reply.body)).slice(0, 500)}` : maskKeys(noted + message),
    retry: judged.retry,
    health: judged.health,
    aboutCredential: judged.aboutCredential,
    ...(sign?.lacks === 'model' ? { lacksModel: true } : {}),
    ...(cooling === undefined ? {} : { cooling }),
    ...(isLoad && waitMs !== undefined ? { retryAfterSeconds: Math.ceil(waitMs / 1000) } : {}),
  });
}

/** The failure as if its upstream had answered with a status that the operator gives it (relay.md 12.4). */
export function readAs(failure: UpstreamFailure, status: number): UpstreamFailure {
  const { cooling: before, ...fields } = failure.fields;
  const cooling = coolingOf(status, { namesModel: before?.scope === 'key-model', waitMs: before?.retryAfterMs });
  return new UpstreamFailure({
    ...fields,
    status,
    isMapped: true,
    retry: 'next-channel',
    health: fields.health === 'hard' ? 'hard' : judgeStatus(status).health,
    ...(cooling === undefined ? {} : { cooling }),
  });
}

/** The limit is that of the model alone. */
function namesModel({ headers, call: { model } }: FailedReply, message: string): boolean {
  return model !== '' && (message.includes(model) || Object.values(headers).includes(model));
}

/** No vendor explains more, and some send back what they were sent: looking through a megabyte holds up all others. */
const MOST_SHOWN = 16 * 1024;

/** A text, a long one up to the end of a word: half of a key would not be known as one. */
function beginningOf(text: string): string {
  if (text.length <= MOST_SHOWN) return text;
  const beginning = text.slice(0, MOST_SHOWN);
  return beginning.slice(0, Math.max(0, beginning.search(/\s\S*$/)));
}

/** An error inside a success counts as the status that it names, else as a bad gateway. */
function statusOf(reply: FailedReply, reported: ReportedFailure | undefined): number {
  const { status } = reply;
  if (status >= 200 && status < 300) return reported?.status ?? 502;
  return status >= 100 && status <= 599 ? status : 502;
}

interface Refusal {
  readonly status: number;
  readonly reported: ReportedFailure | undefined;
  readonly waitMs: number | undefined;
  readonly rules: readonly FailureRule[];
}

/** A full context that its vendor only words: a code that repeats the type or a status, or is prose, names nothing. */
function toldByWords(
  status: number,
  reported: ReportedFailure | undefined,
  meaning: FailureMeaning | undefined,
): FailureRule['tells'] {
  if (reported === undefined || (meaning !== undefined && meaning !== 'bad-request') || status === 429)
    return undefined;
  const { code, type, message } = reported;
  const isNamed = code !== undefined && code !== type && !/^[45]\d\d$|\s/.test(code);
  return !isNamed && fullContext.test(message.slice(0, MOST_SHOWN)) ? 'context_length_exceeded' : undefined;
}

function signOf(refusal: Refusal): Pick<FailureRule, 'means' | 'tells' | 'shows' | 'lacks' | 'exhausts'> | undefined {
  const { status, reported, waitMs, rules } = refusal;
  const own = rules.find((rule) => holds(rule, status, reported));
  // A vendor's rule about all of its 404s does not say what is missing; the code that vendors share does.
  if (own?.means === 'no-model' && holds(modelNotFound, status, reported)) return modelNotFound;
  if (own !== undefined) return own;
  if (reported === undefined) return undefined;
  const common = commonRules.find((rule) => holds(rule, status, reported));
  // An empty account that names a time to come back is a limit after all.
  if (common?.means === 'no-credit' && status === 429 && waitMs !== undefined) return { means: 'rate-limit' };
  const isNarrow = (status === 401 || status === 403) && narrowRefusal.test(reported.message);
  if (isNarrow && (common === undefined || common.means === 'bad-key')) return { means: 'not-allowed' };
  return common;
}

function holds(rule: FailureRule, status: number, reported: ReportedFailure | undefined): boolean {
  const { type, code, param, message = '' } = reported ?? {};
  if (rule.status !== undefined && ![rule.status].flat().includes(status)) return false;
  if (rule.code !== undefined && ![rule.code].flat().some((word) => word === code || word === type)) return false;
  if (rule.param !== undefined && rule.param !== param) return false;
  return rule.text === undefined || rule.text.test(message);
}

function judgeStatus(status: number): Judgement {
  if (status === 401 || status === 402 || status === 403) {
    return { retry: 'next-key', health: 'soft', aboutCredential: true };
  }
  if (status === 404) return { retry: 'next-channel', health: 'soft', aboutCredential: false };
  if (status === 429) return judgements['rate-limit'];
  if (status === 503 || status === 529) return { retry: 'next-channel', health: 'none', aboutCredential: false };
  if (status >= 500) return { retry: 'next-channel', health: 'soft', aboutCredential: false };
  const isClients = status === 400 || status === 413 || status === 422;
  return { retry: 'next-channel', health: isClients ? 'none' : 'listed', aboutCredential: false };
}

interface Load {
  readonly namesModel: boolean;
  readonly waitMs: number | undefined;
}

function coolingOf(status: number, { namesModel, waitMs }: Load): Cooling | undefined {
  const wait = waitMs === undefined ? {} : { retryAfterMs: waitMs };
  if (status === 429) return { scope: namesModel ? 'key-model' : 'key', cause: 'rate-limit', ...wait };
  if (status === 503 || status === 529) return { scope: 'key', cause: 'overload', ...wait };
  return status >= 500 ? { scope: 'channel', cause: 'failure' } : undefined;
}
