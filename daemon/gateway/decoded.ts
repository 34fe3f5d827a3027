/** Requests and answers in the canonical shape, with the digits of numbers that the parsed body has lost. */
import { TollgateError } from '../errors.ts';
import { scanTopLevel } from '../relay/body-scan.ts';
import { isTextInput } from '../relay/canonical/arguments.ts';
import type { ChatChoice, ChatRequest, ChatResponse } from '../relay/canonical/chat.ts';
import { hasOwnMarks, MarkedNumbers, withExactInputs } from '../relay/canonical/exact-numbers.ts';
import { type FreeJson, freeJsonOf, withMarkedParts } from '../relay/canonical/exact-request.ts';
import type { ChatFormat, Scope, UpstreamFormat } from '../relay/format.ts';
import type { JsonObject } from '../relay/json.ts';
import type { Endpoint } from './exchange.ts';
import type { ParsedBody } from './parse-body.ts';

type Decode = (body: JsonObject) => ChatRequest;

/** The client's request; its numbers are marked where its free JSON has some that need it. Throws `invalid_request`. */
export function decodedRequest(
  codec: ChatFormat,
  { model, stream, json, body }: ParsedBody & Pick<ChatRequest, 'model' | 'stream'>,
  delivery: Endpoint['delivery'],
): ChatRequest {
  const decode: Decode = (members) =>
    codec.decodeRequest(delivery === undefined ? members : { ...members, model, stream });
  return readExactly(codec, { json, body }, decode);
}

/** What `decode` makes of the body, its numbers marked where it has some that need it. */
export function readExactly(
  { argumentsAsText }: Pick<ChatFormat, 'argumentsAsText'>,
  { json, body }: ParsedBody,
  decode: Decode,
): ChatRequest {
  const decoded = decode(json);
  const free = freeJsonOf(decoded, argumentsAsText === true);
  if (!free.schemas && !free.objects) return decoded;
  const marked = markedBody({ json, body }, free);
  return marked === undefined ? decoded : exactly(decoded, () => decode(marked));
}

/** Members of the four dialects that hold the conversation; any other that is an object or a list is short. */
const CONVERSATIONS: ReadonlySet<string> = new Set(['contents', 'input', 'messages']);
const OPENINGS: ReadonlySet<number | undefined> = new Set([0x5b, 0x7b]);

/** The body with marks in the members that have the free JSON; undefined where no number needs one. */
export function markedBody({ body, json }: ParsedBody, { schemas, objects }: FreeJson): JsonObject | undefined {
  let marked: JsonObject | undefined;
  for (const { key, valueStart, end } of scanTopLevel(body).members) {
    const isWanted = CONVERSATIONS.has(key) ? objects : schemas;
    if (!isWanted || !OPENINGS.has(body[valueStart])) continue;
    const numbers = MarkedNumbers.in(body.toString('utf8', valueStart, end));
    if (numbers === undefined) continue;
    marked ??= { ...json };
    marked[key] = numbers.json;
  }
  return marked === undefined || hasOwnMarks(body) ? undefined : marked;
}

/** A number that the dialect itself wants cannot be read when it is marked; the parts of the client's own can. */
function exactly(decoded: ChatRequest, decodeMarked: () => ChatRequest): ChatRequest {
  try {
    return withMarkedParts(decoded, decodeMarked());
  } catch (error) {
    if (error instanceof TollgateError) return decoded;
    throw error;
  }
}

/** Calls of shells, patches and searches have objects on every wire that knows them. */
function asksByObject({ items }: ChatChoice): boolean {
  return items.some((item) => item.type === 'tool-call' && !isTextInput(item.kind));
}

/** A whole answer of the upstream. Throws as `UpstreamFormat.decodeResponse`. */
export function decodedAnswer(
  { upstream, scope }: { readonly upstream: UpstreamFormat; readonly scope: Scope },
  json: JsonObject,
  body: Buffer,
): ChatResponse {
  const decoded = upstream.decodeResponse(json, scope);
  if (upstream.argumentsAsText === true && !decoded.choices.some(asksByObject)) return decoded;
  const choices = decoded.choices.map((choice, at) => {
    const items = withExactInputs(
      choice.items,
      () => body.toString('utf8'),
      (marked) => upstream.decodeResponse(marked, scope).choices[at]?.items ?? [],
    );
    return items === choice.items ? choice : { ...choice, items };
  });
  return choices.every((choice, at) => choice === decoded.choices[at]) ? decoded : { ...decoded, choices };
}
