/** What is changed in a body that otherwise goes upstream as it came (relay.md 5.2, 5.10, 12). */
import type { BodyEdit } from '../relay/body-edit.ts';
import { carriesWrappedSeal, wrappedSealPrefix } from '../relay/canonical/seal.ts';
import type { FormatId } from '../relay/format.ts';
import { lostSignatureEdits } from '../relay/formats/gemini-generate/lost-signatures.ts';
import { isObject, type Json, type JsonObject } from '../relay/json.ts';
import type { Inspection } from './inspect.ts';

export interface EditFacts {
  readonly format: FormatId;
  readonly inspection: Inspection;
  readonly upstreamModel: string;
  /** How the upstream is asked. */
  readonly stream: boolean;
  /** Usage is to be asked for on the stream. */
  readonly wantsUsage: boolean;
  /** The upstream understands `stream_options`. */
  readonly knowsStreamOptions: boolean;
  readonly setting: Readonly<Record<string, unknown>>;
}

/** Fields that change price, retention or identity of the channel's owner, and the setting that lets each through. */
const GUARDED: readonly (readonly [field: string, setting: string])[] = [
  ['service_tier', 'allow_service_tier'],
  ['store', 'allow_store'],
  ['safety_identifier', 'allow_safety_identifier'],
  ['speed', 'allow_speed'],
  ['inference_geo', 'allow_inference_geo'],
];
const LIMITS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'];
/** Formats whose body says whether a stream is wanted. */
const STREAMED: ReadonlySet<FormatId> = new Set([
  'openai-chat',
  'openai-completions',
  'openai-responses',
  'anthropic-messages',
]);
/** Formats that know `stream_options`. */
const KNOWS_OPTIONS: ReadonlySet<FormatId> = new Set(['openai-chat', 'openai-completions']);
/** Formats whose path names the model, and whose body does not. */
const MODEL_IN_PATH: ReadonlySet<FormatId> = new Set(['gemini-generate', 'gemini-embeddings', 'gemini-predict']);

/** The edits of one attempt; none at all when the body may go as it is. */
export function nativeEdits(facts: EditFacts): BodyEdit[] {
  const { inspection, setting, format } = facts;
  const { json } = inspection;
  const edits: BodyEdit[] = [];
  edits.push(...modelEdits(format, json, facts.upstreamModel));
  if (STREAMED.has(format) && (json.stream === true) !== facts.stream)
    edits.push({ path: ['stream'], set: facts.stream });
  edits.push(...streamOptionEdits(facts));
  for (const [field, permission] of GUARDED) {
    if (setting[permission] === true) continue;
    if (field === 'store' && format === 'openai-responses') {
      if (json.store !== false) edits.push({ path: ['store'], set: false });
    } else if (Object.hasOwn(json, field)) edits.push({ path: [field], remove: true });
  }
  for (const field of LIMITS) if (json[field] === 0) edits.push({ path: [field], remove: true });
  edits.push(...extraBodyEdits(json, setting));
  if (format === 'gemini-generate') edits.push(...lostSignatureEdits(json, facts.upstreamModel));
  // A conversation is written anew for this; a compaction has no other form than its own.
  if (format === 'openai-responses-compact' && carriesWrappedSeal(inspection.body)) edits.push(...sealEdits(json));
  return edits;
}

/** Thoughts that another vendor signed go, the last of them first: this vendor would refuse the request for them. */
function sealEdits({ input }: JsonObject): BodyEdit[] {
  const items = Array.isArray(input) ? input : [];
  const edits = items.flatMap((item, index): BodyEdit[] =>
    isObject(item) && item.type === 'reasoning' && isWrappedSeal(item.encrypted_content)
      ? [{ path: ['input', String(index)], remove: true }]
      : [],
  );
  return edits.reverse();
}

function isWrappedSeal(seal: Json | undefined): boolean {
  return typeof seal === 'string' && seal.startsWith(wrappedSealPrefix);
}

/** The model's name, where the body has it and it is not the one that the upstream knows. */
export function modelEdits(format: FormatId, json: JsonObject, upstream: string): BodyEdit[] {
  if (MODEL_IN_PATH.has(format)) return nestedModelEdits(json, upstream);
  return json.model === upstream ? [] : [{ path: ['model'], set: upstream }];
}

/** Requests inside a request repeat the model, and must repeat the right one. */
function nestedModelEdits(json: JsonObject, upstream: string): BodyEdit[] {
  const model = `models/${upstream}`;
  const edits: BodyEdit[] = [];
  if (typeof json.model === 'string' && json.model !== model) edits.push({ path: ['model'], set: model });
  const { requests } = json;
  for (const member of ['generateContentRequest', 'generate_content_request']) {
    const whole = json[member];
    if (isObject(whole) && whole.model !== model) edits.push({ path: [member, 'model'], set: model });
  }
  if (!Array.isArray(requests) || requests.every((entry) => isObject(entry) && entry.model === model)) return edits;
  const renamed = requests.map((entry): Json => (isObject(entry) ? { ...entry, model } : entry));
  return [...edits, { path: ['requests'], set: renamed }];
}

function streamOptionEdits(facts: EditFacts): BodyEdit[] {
  const { inspection, setting, format } = facts;
  const options = inspection.json.stream_options;
  if (format === 'openai-responses') return obfuscationEdits(options, setting);
  if (!facts.stream || !facts.knowsStreamOptions || !KNOWS_OPTIONS.has(format)) {
    return options === undefined ? [] : [{ path: ['stream_options'], remove: true }];
  }
  const edits = obfuscationEdits(options, setting);
  if (facts.wantsUsage && !inspection.includeUsage)
    edits.push({ path: ['stream_options', 'include_usage'], set: true });
  return edits;
}

function obfuscationEdits(options: Json | undefined, setting: Readonly<Record<string, unknown>>): BodyEdit[] {
  const sent = isObject(options) && Object.hasOwn(options, 'include_obfuscation');
  if (!sent || setting.allow_include_obfuscation === true) return [];
  return [{ path: ['stream_options', 'include_obfuscation'], remove: true }];
}

/** Libraries that cannot say a field put it here; its place is the top level. */
function extraBodyEdits(json: JsonObject, setting: Readonly<Record<string, unknown>>): BodyEdit[] {
  const extra = json.extra_body;
  if (!isObject(extra)) return [];
  const refused = new Set(GUARDED.filter(([, permission]) => setting[permission] !== true).map(([field]) => field));
  const merged = Object.entries(extra)
    .filter(([name]) => name !== 'model' && name !== 'stream' && name !== 'stream_options' && !refused.has(name))
    .map(([name, value]): BodyEdit => ({ path: [name], set: value }));
  return [{ path: ['extra_body'], remove: true }, ...merged];
}
