/** The body of a native attempt: the client's bytes with the named edits of relay.md 12, in their order. */
import { TollgateError } from '../errors.ts';
import { type BodyEdit, diffEdits, editScanned, editValue } from '../relay/body-edit.ts';
import { scanTopLevel } from '../relay/body-scan.ts';
import { unkeptThread } from '../relay/formats/loss.ts';
import { outputLimitIn } from '../relay/formats/output-limit.ts';
import { applyWishToBody } from '../relay/formats/reasoning-suffix.ts';
import { addSystemPromptToBody, readSystemPrompt } from '../relay/formats/system-prompt.ts';
import { isObject, type Json, type JsonObject } from '../relay/json.ts';
import type { OverrideRefusal } from '../relay/param-override-rules.ts';
import type { CallTemplate } from './call-template.ts';
import { codecScope } from './codec-scope.ts';
import type { Inspection } from './inspect.ts';
import { modelEdits, nativeEdits } from './native-edits.ts';
import { sayable } from './sayable.ts';
import { noteVendorLosses } from './vendor-loss.ts';

export interface NativeBodyRequest {
  readonly template: CallTemplate;
  readonly inspection: Inspection;
  /** Usage is to be asked for on the stream. */
  readonly wantsUsage: boolean;
  readonly knowsStreamOptions: boolean;
  /** Only the model's name may change (relay.md 12.7). */
  readonly passThrough: boolean;
  /** Members that the host reads in the body and the client has sent as headers. */
  readonly ofHeaders?: JsonObject | undefined;
  /** What conditions of an override may read. */
  readonly facts: () => Readonly<Record<string, Json>>;
}

export type NativeBody =
  | {
      readonly body: Buffer;
      readonly headers: readonly (readonly [name: string, value: Json])[];
      /** What the vendor's rules take away. */
      readonly droppedFields: readonly string[];
      /** Limit of the answer; undefined unless the channel overrides the body. */
      readonly maxTokens?: number | undefined;
    }
  | { readonly refusal: OverrideRefusal }
  | { readonly unsayable: TollgateError };

const NO_HEADERS: readonly (readonly [name: string, value: Json])[] = [];
const NONE: readonly string[] = [];

/** Makes the body. A body that needs no edit is sent as the very bytes that came. */
export function nativeBody(request: NativeBodyRequest): NativeBody {
  const { template, inspection, passThrough } = request;
  if (passThrough) {
    const edits = modelEdits(template.choice.format, inspection.json, template.names.upstream);
    return { body: edited(inspection, edits), headers: NO_HEADERS, droppedFields: NONE };
  }
  if (isThreadUnkept(request)) return { unsayable: unkeptThread() };
  const edits = nativeEdits({
    format: template.choice.format,
    inspection,
    upstreamModel: template.names.upstream,
    stream: template.call.stream,
    wantsUsage: request.wantsUsage,
    knowsStreamOptions: request.knowsStreamOptions,
    setting: template.call.setting,
  });
  const { override, amends, wish, call } = template;
  const isPlain = override === undefined && !amends && wish === undefined;
  if (isPlain && typeof call.setting.system_prompt !== 'string') {
    return { body: edited(inspection, edits), headers: NO_HEADERS, droppedFields: NONE };
  }
  return reworked(request, edits);
}

/** A turn of a thread before a host that only borrows the dialect: it would not miss the turns before. */
function isThreadUnkept({ template, inspection }: NativeBodyRequest): boolean {
  if (template.call.format !== 'anthropic-messages' || template.adapter.traits?.threads === true) return false;
  return (inspection.json.thread ?? null) !== null;
}

/** Vendor quirks, system prompt and override work on values; only what they changed is spliced into the bytes. */
function reworked(request: NativeBodyRequest, edits: readonly BodyEdit[]): NativeBody {
  const { template, inspection } = request;
  const { override, adapter, call, names, wish } = template;
  const lost: string[] = [];
  const before = inspection.json;
  const basis = editValue(before, edits);
  let json: JsonObject = isObject(basis) ? basis : before;
  const prompt = readSystemPrompt(call.setting);
  if (prompt !== undefined) json = addSystemPromptToBody(call.format, json, prompt);
  if (wish !== undefined) {
    const { defaultMaxTokens } = template;
    json = applyWishToBody(call.format, json, { model: names.upstream, wish, defaultMaxTokens });
  }
  if (request.ofHeaders !== undefined) json = { ...request.ofHeaders, ...json };
  if (template.amends) {
    const amended = adapter.amendBody?.({ ...json }, call);
    if (isObject(amended)) {
      const change = { before: json, after: amended };
      const noted = sayable(() =>
        noteVendorLosses(call.format, change, codecScope({ model: inspection.askedModel, lost })),
      );
      if (noted instanceof TollgateError) return { unsayable: noted };
      json = amended;
    }
  }
  let headers = NO_HEADERS;
  let maxTokens: number | undefined;
  if (override !== undefined) {
    const result = override.apply(json, request.facts());
    if (result.kind === 'refused') return { refusal: result.refusal };
    json = result.body;
    headers = result.headers;
    maxTokens = outputLimitIn(json);
  }
  return { body: edited(inspection, diffEdits(before, json)), headers, droppedFields: lost, maxTokens };
}

function edited(inspection: Inspection, edits: readonly BodyEdit[]): Buffer {
  if (edits.length === 0 && !inspection.repeatsMembers) return inspection.body;
  return editScanned(inspection.body, scanTopLevel(inspection.body), edits);
}
