/** Step 3: the body is parsed once; nothing is decoded yet (relay.md 1.1 steps 5, 8 and 9). */
import { isUtf8 } from 'node:buffer';
import { TollgateError } from '../errors.ts';
import { MAX_DEPTH } from '../relay/body-scan.ts';
import type { AudioFacts } from '../relay/call-format.ts';
import { isObject, type Json, type JsonObject } from '../relay/json.ts';
import { checkRequest, type RequestWishes } from './check-request.ts';
import type { Exchange } from './exchange.ts';
import type { Form } from './form.ts';
import { isDeeperThan } from './json-depth.ts';

/** What a request asks for, as far as admission and routing must know. */
export interface Inspection extends RequestWishes {
  /** Set where the request is a form: `json` then holds its fields and `body` is empty. */
  readonly form?: Form | undefined;
  /** Length of the audio that the request brings. */
  readonly audio?: AudioFacts | undefined;
  /** As received, decompressed; every attempt starts from it. */
  readonly body: Buffer;
  /** The body may name a member twice, which readers elsewhere take differently: it is never sent as it is. */
  readonly repeatsMembers: boolean;
  readonly json: JsonObject;
  /** Name the client sent, prefix included. */
  readonly model: string;
}

const MAX_MODEL_LENGTH = 200;

/** Parses and checks the body. Throws `invalid_request` with the field. */
export function inspect(exchange: Pick<Exchange, 'endpoint' | 'request' | 'view'>, body: Buffer): Inspection {
  if (!isUtf8(body)) throw new TollgateError('invalid_request', { reason: 'the body is not UTF-8' });
  if (isDeeperThan(body, MAX_DEPTH)) {
    throw new TollgateError('invalid_request', { reason: `the body is nested deeper than ${MAX_DEPTH} levels` });
  }
  const json = parseObject(body);
  const model = readModel(exchange, json);
  const wishes = checkRequest(exchange.endpoint, json);
  const { delivery } = exchange.endpoint;
  return {
    body,
    repeatsMembers: mayRepeat(body),
    json,
    model,
    stream: delivery === undefined ? wishes.stream : delivery !== 'whole',
    includeUsage: wishes.includeUsage,
    maxTokens: wishes.maxTokens,
    choices: wishes.choices,
    stateful: wishes.stateful,
    previousResponseId: wishes.previousResponseId,
  };
}

function parseObject(body: Buffer): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch (cause) {
    throw new TollgateError('invalid_request', { reason: 'the body is not valid JSON' }, { cause });
  }
  if (!isObject(value)) throw new TollgateError('invalid_request', { reason: 'the body must be a JSON object' });
  return value;
}

/** The origin model (relay.md 2.5): a trimmed string of 1 to 200 characters without control characters. */
export function readModel(exchange: Pick<Exchange, 'endpoint' | 'request' | 'view'>, json: JsonObject): string {
  const named: Json | undefined = exchange.request.pathModel ?? json.model;
  const absent = named === undefined || named === null || named === '';
  const wanted = absent ? defaultModel(exchange) : named;
  if (wanted === undefined)
    throw new TollgateError('invalid_request', { reason: 'model is required' }, { field: 'model' });
  const model = typeof wanted === 'string' ? wanted.trim() : '';
  if (model === '' || model.length > MAX_MODEL_LENGTH || /\p{Cc}/u.test(model) || isUnsafeInPath(model)) {
    throw new TollgateError(
      'invalid_request',
      { reason: 'model must be a string of 1 to 200 printable characters' },
      { field: 'model' },
    );
  }
  return model;
}

function defaultModel({ endpoint, view }: Pick<Exchange, 'endpoint' | 'view'>): string | undefined {
  const { defaultModel: first, secondModel: second } = endpoint;
  return first !== undefined && second !== undefined && !view.channels.offers(first) ? second : first;
}

/** Names may end up in an upstream path; what could change that path is refused everywhere (S28). */
function isUnsafeInPath(model: string): boolean {
  return model.includes('..') || model.includes('//') || /[?#\\]/.test(model);
}

const MODEL_NAME = '"model"';
/** How a member's name can be spelled so that a search does not find it. */
const ESCAPED_LETTER = '\\u00';

/** False when the member that decides routing and price certainly stands in the body once. */
function mayRepeat(body: Buffer): boolean {
  const first = body.indexOf(MODEL_NAME);
  return (first >= 0 && body.indexOf(MODEL_NAME, first + 1) >= 0) || body.includes(ESCAPED_LETTER);
}
