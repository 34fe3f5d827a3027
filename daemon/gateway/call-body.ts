/** Body and lane of an attempt at a call that is one question and one answer. */
import { TollgateError } from '../errors.ts';
import type { CallAnswer, CallPart, CallTranslation, CallTranslator, WireRequest } from '../relay/call-format.ts';
import { callTranslatorOf } from '../relay/calls/index.ts';
import { nativeCallReaderOf } from '../relay/calls/native.ts';
import type { NativeCallReader } from '../relay/calls/reader.ts';
import type { Scope } from '../relay/format.ts';
import { asWord } from '../relay/formats/fields.ts';
import { isObject, type Json, type JsonObject } from '../relay/json.ts';
import type { OverrideRefusal } from '../relay/param-override-rules.ts';
import type { BodySource, OutgoingRequest } from '../upstream/transport.ts';
import { type CallLaneOptions, callLane, callWhole } from './call-lane.ts';
import { isSound, replayOf, streamOf } from './call-streams.ts';
import type { CallTemplate } from './call-template.ts';
import { codecScope } from './codec-scope.ts';
import type { Exchange } from './exchange.ts';
import type { Form } from './form.ts';
import { type EncodedForm, encodeForm, partsOf, withMembers } from './form-body.ts';
import type { Inspection } from './inspect.ts';
import type { Lane, Unusable, WholeAnswer } from './lane.ts';
import { liveSoundOf } from './live-sound.ts';
import { nativeBody } from './native-body.ts';
import { sayable } from './sayable.ts';
import { type Uploading, uploading } from './uploading-lane.ts';

export interface CallBodyRequest {
  readonly template: CallTemplate;
  readonly exchange: Pick<Exchange, 'id' | 'endpoint'>;
  readonly inspection: Inspection;
  /** The request's members, with the files of a form where another format is to be given them. */
  readonly json: JsonObject;
  /** Only the model's name may change on the native lane. */
  readonly passThrough: boolean;
  /** Estimate, for usage that the upstream does not report. */
  readonly promptTokens: () => number;
  readonly conversion: 'strict' | 'warn' | 'drop';
  /** What conditions of an override may read. */
  readonly facts: () => Readonly<Record<string, Json>>;
}

/** What one request of a call sends, and how its answer is read. */
export interface CallPartBody {
  readonly lane: Lane;
  /** Undefined for a question without one. */
  readonly body: Buffer | BodySource | undefined;
  /** Set for a body that is no JSON. */
  readonly contentType?: string | undefined;
}

/** What is asked beside the first request, where an upstream takes only so much at once. */
export interface CallDivision {
  readonly parts: readonly CallPartBody[];
  /** The answer to all of it, once every part has been read. */
  readonly join: () => WholeAnswer | Unusable;
  /** What the parts took that have been read by now. */
  readonly consumed: CallTranslation['consumed'];
}

/** How a request is made, where it is more than a body that is posted. */
export type CallManner = Partial<Pick<OutgoingRequest, 'method' | 'talk'>>;

export type CallBody =
  | (CallPartBody & {
      readonly headers: readonly (readonly [name: string, value: Json])[];
      readonly droppedFields: readonly string[];
      /** The upstream's operation, where the translation chose another than the path's own. */
      readonly operation?: string | undefined;
      readonly division?: CallDivision;
      readonly manner?: CallManner;
    })
  | { readonly refusal: OverrideRefusal }
  | { readonly unsayable: TollgateError };

/** Makes body and lane. Throws `invalid_request` where the client's own format is broken. */
export function callBody(request: CallBodyRequest): CallBody {
  const { template, exchange, inspection } = request;
  const lost: string[] = [];
  const scope = codecScope({
    model: inspection.askedModel,
    promptTokens: request.promptTokens(),
    lost,
    requestId: exchange.id,
  });
  const reader = nativeCallReaderOf(template.call.capability, template.choice.format);
  if (template.choice.lane === 'native' && reader !== undefined) return nativeCall(request, reader, scope);
  return convertedCall(request, scope, lost);
}

function nativeCall(request: CallBodyRequest, reader: NativeCallReader, scope: Scope): CallBody {
  const { template, exchange, inspection, passThrough, facts } = request;
  const made =
    inspection.form === undefined
      ? nativeBody({ template, inspection, wantsUsage: false, knowsStreamOptions: false, passThrough, facts })
      : nativeForm(request, inspection.form);
  if ('refusal' in made || 'unsayable' in made) return made;
  // Units go by the name that the vendor knows.
  const json = { ...inspection.json, model: template.names.upstream };
  const asked = { json, scope, audio: inspection.audio };
  const lane = callLane({
    conversion: undefined,
    read: ({ body, contentType }) => reader(body, contentType, asked),
    replay: replayOf(exchange.endpoint.format),
    stream: streamOf({ format: exchange.endpoint.format, model: inspection.model }, asked),
    passes: exchange.endpoint.capability === 'speech' ? isSound : undefined,
  });
  return { ...made, lane, droppedFields: [] };
}

/** The form anew, with the model that the upstream knows and what the operator overrides. */
function nativeForm({ template, inspection, passThrough, facts }: CallBodyRequest, form: Form): NativeForm {
  const before = inspection.json;
  let after: JsonObject = { ...before, model: passThrough ? template.names.upstream : vendorName(before, template) };
  let headers: readonly (readonly [name: string, value: Json])[] = [];
  if (template.override !== undefined && !passThrough) {
    const result = template.override.apply(after, facts());
    if (result.kind === 'refused') return { refusal: result.refusal };
    after = result.body;
    headers = result.headers;
  }
  return { ...encodeForm(withMembers(form.parts, before, after)), headers };
}

/** The model's name by the vendor's own rules, the one of them that holds for forms too. */
function vendorName(members: JsonObject, { adapter, amends, call, names }: CallTemplate): Json {
  const fitted = amends ? adapter.amendBody?.({ ...members, model: names.upstream }, call) : undefined;
  return (isObject(fitted) ? asWord(fitted.model) : undefined) ?? names.upstream;
}

interface NativeRefusal {
  readonly refusal: OverrideRefusal;
}

type NativeForm =
  | (EncodedForm & { readonly headers: readonly (readonly [name: string, value: Json])[] })
  | NativeRefusal;

function convertedCall(request: CallBodyRequest, scope: Scope, lost: readonly string[]): CallBody {
  const { template, exchange } = request;
  const { choice, names, adapter, call } = template;
  const translator = callTranslatorOf(exchange.endpoint.format, choice.format);
  if (translator === undefined) throw new TollgateError('invalid_api_type');
  const target = { model: names.upstream, scope, atOnce: adapter.atOnce?.(call) };
  const opened = sayable(() => translator.open(request.json, target));
  if (opened instanceof TollgateError) return { unsayable: opened };
  if (request.conversion === 'strict' && lost.length > 0) {
    const fields = lost.join(', ');
    return { unsayable: new TollgateError('conversion_would_drop', { fields }, { field: fields }) };
  }
  const replay = replayOf(exchange.endpoint.format);
  const laneOf = (read: CallLaneOptions['read'], part: CallPart) =>
    callLane({ conversion: [exchange.endpoint.format, choice.format], replay, read, ...liveOf(request, part) });
  const [first, ...further] = opened.parts;
  const dressed = dress(request, first.request);
  if ('refusal' in dressed) return dressed;
  const { operation } = first.request;
  if (further.length === 0) {
    const lane = laneOf((reply) => first.read({ ...reply, asked: dressed.asked }) ?? opened.answer(), first);
    return { ...dressed, lane, droppedFields: lost, operation, ...filesFirst(translator, dressed, lane) };
  }
  const parts: CallPartBody[] = [];
  for (const part of further) {
    const own = dress(request, part.request);
    if ('refusal' in own) return own;
    const lane = laneOf((reply) => part.read(reply) ?? heard, part);
    parts.push({ ...own, lane, ...filesFirst(translator, own, lane) });
  }
  const join = () => {
    const answer = opened.answer();
    return 'kind' in answer ? answer : callWhole(answer, replay);
  };
  const lane = laneOf((reply) => first.read(reply) ?? heard, first);
  const files = filesFirst(translator, dressed, lane);
  return {
    ...dressed,
    lane,
    droppedFields: lost,
    operation,
    ...files,
    division: { parts, join, consumed: opened.consumed },
  };
}

/** What is sent in place of a request whose files have to be handed in before it; undefined where none have to. */
function filesFirst({ uploads }: CallTranslator, { asked }: DressedCall, lane: Lane): Uploading | undefined {
  return uploads !== undefined && isObject(asked) ? uploading(asked, uploads, lane) : undefined;
}

/** What stands for the answer to a part until all of them are joined. */
const heard: CallAnswer = { body: Buffer.alloc(0), contentType: 'application/json', usage: undefined };

/** How sound is passed on while it comes. */
function liveOf({ exchange, inspection }: CallBodyRequest, { live }: CallPart): Partial<CallLaneOptions> {
  if (live === undefined) return {};
  const manner = inspection.stream ? 'events' : 'bytes';
  return { passes: isSound, stream: liveSoundOf(live, { format: exchange.endpoint.format, manner }) };
}

interface DressedCall {
  readonly body: Buffer | BodySource | undefined;
  /** The body before it was written down. */
  readonly asked: Json;
  readonly contentType?: string;
  readonly manner?: CallManner;
  readonly headers: readonly (readonly [name: string, value: Json])[];
}

/** A question as the vendor and the operator want it. */
function dress(request: CallBodyRequest, wanted: WireRequest): DressedCall | NativeRefusal {
  const { body: wire, encoding, method, talk } = wanted;
  const { template, facts } = request;
  const { override, adapter, call } = template;
  let json = isObject(wire) && template.amends ? (adapter.amendBody?.({ ...wire }, call) ?? wire) : wire;
  let headers: readonly (readonly [name: string, value: Json])[] = [];
  if (override !== undefined && isObject(json)) {
    const result = override.apply(json, facts());
    if (result.kind === 'refused') return { refusal: result.refusal };
    json = result.body;
    headers = result.headers;
  }
  const asked = json;
  if (encoding === 'form' && isObject(json)) return { ...encodeForm(partsOf(json)), asked, headers };
  if (encoding === 'bytes' && typeof json === 'string') {
    return { body: Buffer.from(json, 'base64'), contentType: 'application/octet-stream', asked, headers };
  }
  if (method === 'GET') return { body: undefined, asked, headers, manner: { method } };
  const body = Buffer.from(JSON.stringify(json));
  return talk === undefined ? { body, asked, headers } : { body, asked, headers, manner: { talk } };
}
