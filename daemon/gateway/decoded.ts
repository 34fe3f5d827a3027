/**
 * Requests and answers in the canonical shape. Arguments of calls that are objects on the wire keep the numbers that the
 * parsed body has lost digits of.
 */
import type { ChatRequest, ChatResponse } from '../relay/canonical/chat.ts';
import { withExactInputs } from '../relay/canonical/exact-numbers.ts';
import type { ChatFormat, Scope, UpstreamFormat } from '../relay/format.ts';
import { isObject, type JsonObject } from '../relay/json.ts';
import type { Endpoint } from './exchange.ts';
import type { Inspection } from './inspect.ts';

/** The client's request. Throws `invalid_request` with the field. */
export function decodedRequest(
  codec: ChatFormat,
  { model, stream, json, body }: Inspection,
  delivery: Endpoint['delivery'],
): ChatRequest {
  const decode = (body: JsonObject) => codec.decodeRequest(delivery === undefined ? body : { ...body, model, stream });
  const decoded = decode(json);
  if (codec.argumentsAsText === true) return decoded;
  const items = withExactInputs(
    decoded.items,
    () => body.toString('utf8'),
    (marked) => (isObject(marked) ? decode(marked).items : []),
  );
  return items === decoded.items ? decoded : { ...decoded, items };
}

/** A whole answer of the upstream. Throws as `UpstreamFormat.decodeResponse`. */
export function decodedAnswer(
  { upstream, scope }: { readonly upstream: UpstreamFormat; readonly scope: Scope },
  json: JsonObject,
  body: Buffer,
): ChatResponse {
  const decoded = upstream.decodeResponse(json, scope);
  if (upstream.argumentsAsText === true) return decoded;
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
