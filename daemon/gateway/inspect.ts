/** Step 3: what the body wants, which is parsed once; nothing is decoded yet (relay.md 1.1 steps 5, 8 and 9). */
import { isModelName } from '../contract/model-mapping.ts';
import { TollgateError } from '../errors.ts';
import type { AudioFacts } from '../relay/audio/length.ts';
import type { Json, JsonObject } from '../relay/json.ts';
import { type Caller, groupsOf } from './authenticate.ts';
import { checkRequest, type RequestWishes } from './check-request.ts';
import type { Exchange } from './exchange.ts';
import { asChatBody } from './foreign-shape.ts';
import type { Form } from './form.ts';
import { modelBehind } from './model-aliases.ts';
import type { ParsedBody } from './parse-body.ts';

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
  /** Name the client sent, prefix included; answers say it. */
  readonly askedModel: string;
  /** What limits, prices and the log go by: the name that was sent, or what the key takes it for. */
  readonly model: string;
}

type Inspected = Pick<Exchange, 'endpoint' | 'request' | 'view'>;
/** Undefined for a channel's test. */
type Asker = Pick<Caller, 'user' | 'token' | 'group' | 'aliases'> | undefined;

/** Checks what the body says. Throws `invalid_request` with the field, and what `asChatBody` throws. */
export function inspect(exchange: Inspected, said: ParsedBody, caller?: Asker): Inspection {
  const askedModel = readModel(exchange, said.json, caller);
  const model = modelBehind(askedModel, caller?.aliases);
  const isChat = exchange.endpoint.format === 'openai-chat';
  const { body, json } = isChat ? asChatBody(said, caller?.token?.conversion ?? 'drop') : said;
  const wishes = checkRequest(exchange.endpoint, json, { model });
  const { delivery } = exchange.endpoint;
  return {
    body,
    repeatsMembers: mayRepeat(body, wishes.references.length > 0 ? KEPT_NAMES : MODEL_NAMES),
    json,
    askedModel,
    model,
    stream: delivery === undefined ? wishes.stream : delivery !== 'whole',
    includeUsage: wishes.includeUsage,
    maxTokens: wishes.maxTokens,
    choices: wishes.choices,
    stateful: wishes.stateful,
    references: wishes.references,
  };
}

/** The model as the client names it (relay.md 2.5): a trimmed string of 1 to 200 characters without control characters. */
export function readModel(exchange: Inspected, json: JsonObject, caller?: Pick<Caller, 'user' | 'group'>): string {
  const named: Json | undefined = exchange.request.pathModel ?? json.model;
  const absent = named === undefined || named === null || named === '';
  const wanted = absent ? defaultModel(exchange, caller) : named;
  if (wanted === undefined)
    throw new TollgateError('invalid_request', { reason: 'model is required' }, { field: 'model' });
  const model = typeof wanted === 'string' ? wanted.trim() : '';
  if (!isModelName(model)) {
    throw new TollgateError(
      'invalid_request',
      { reason: 'model must be a string of 1 to 200 printable characters' },
      { field: 'model' },
    );
  }
  return model;
}

/** The second where the caller's groups do not offer the first. */
function defaultModel({ endpoint, view }: Inspected, caller: Pick<Caller, 'user' | 'group'> | undefined) {
  const { defaultModel: first, secondModel: second } = endpoint;
  if (first === undefined || second === undefined || caller === undefined) return first;
  const isOffered = groupsOf(view, caller).some((group) => view.channels.candidates(group, first).length > 0);
  return isOffered ? first : second;
}

const MODEL_NAMES = ['"model"'];
/** Of a request that names what an upstream keeps: whose that is was asked of one member only. */
const KEPT_NAMES = [...MODEL_NAMES, '"previous_response_id"', '"conversation"', '"container"', '"thread"'];
/** How a member's name can be spelled so that a search does not find it. */
const ESCAPED_LETTER = '\\u00';

/** False when each member that decides routing, price and access certainly stands in the body once. */
function mayRepeat(body: Buffer, names: readonly string[]): boolean {
  return names.some((name) => standsTwice(body, name)) || body.includes(ESCAPED_LETTER);
}

function standsTwice(body: Buffer, name: string): boolean {
  const first = body.indexOf(name);
  return first >= 0 && body.indexOf(name, first + 1) >= 0;
}
