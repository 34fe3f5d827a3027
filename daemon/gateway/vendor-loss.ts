/** What a vendor's own rules take from a request, noted like the losses of a translation (relay.md 13.1). */
import { TollgateError } from '../errors.ts';
import type { FormatId, Scope } from '../relay/format.ts';
import { asList, asObjects, asWord } from '../relay/formats/fields.ts';
import { lose, lossOfMember, refuseSeveral } from '../relay/formats/loss.ts';
import { alwaysThinks } from '../relay/formats/openai-chat/model-rules.ts';
import { noteStops } from '../relay/formats/stop-words.ts';
import { isObject, type Json, type JsonObject } from '../relay/json.ts';

/** Dialects whose members have one meaning at every vendor. */
const SHARED: ReadonlySet<FormatId> = new Set(['openai-chat', 'openai-responses', 'anthropic-messages']);
/** Dialects whose `n` is a number of answers. */
const COUNTING: ReadonlySet<FormatId> = new Set(['openai-chat', 'openai-completions']);
/** Members that say nothing about the answer, are the owner's affair, or go on in another form. */
const QUIET: ReadonlySet<string> = new Set([
  'anthropic_version',
  'include',
  'model',
  'output_config',
  'safety_identifier',
  'service_tier',
  'store',
  'stream',
  'stream_options',
  'truncation',
  'user',
]);
/** Other names under which vendors take a member. */
const SUCCESSORS: ReadonlyMap<string, readonly string[]> = new Map([
  ['max_tokens', ['max_completion_tokens']],
  ['max_completion_tokens', ['max_tokens']],
  ['reasoning_effort', ['effort', 'enable_thinking', 'prompt_mode', 'reasoning', 'thinking']],
  ['seed', ['random_seed']],
  ['temperature', ['do_sample']],
  ['text', ['response_format']],
  ...['search_domain_filter', 'search_recency_filter'].map(inTools),
  ...['search_after_date_filter', 'search_before_date_filter'].map(inTools),
  ...['last_updated_after_filter', 'last_updated_before_filter'].map(inTools),
]);
/** What narrows a search goes on as a member of its tool. */
function inTools(filter: string): readonly [string, readonly string[]] {
  return [filter, ['tools']];
}

/** Lists of which vendors take a few. */
const STOPS: ReadonlySet<string> = new Set(['stop', 'stop_sequences']);

/** Members of messages that went on under another name, or say nothing to the model. */
const SAID_OTHERWISE: Readonly<Record<string, string>> = { reasoning_content: 'reasoning', annotations: 'content' };
/** Values by which clients ask for what happens anyway. */
const USUAL: Readonly<Record<string, unknown>> = { n: 1, temperature: 1, top_p: 1 };

/** Notes what of `before` is not said in `after`. Throws `convert_request_failed` for several answers that became one. */
export function noteVendorLosses(
  format: FormatId,
  { before, after }: { readonly before: JsonObject; readonly after: JsonObject },
  scope: Scope,
): void {
  if (COUNTING.has(format) && after.n !== before.n) refuseSeveral(before.n);
  if (!SHARED.has(format)) return;
  const forbidsTools = before.tool_choice === 'none';
  for (const field in before) {
    const value = before[field];
    if (value === null || value === USUAL[field] || QUIET.has(field)) continue;
    if (forbidsTools && (field === 'tools' || field === 'tool_choice')) continue;
    const isQuiet = field === 'reasoning_effort' && value === 'none';
    if (isQuiet ? !thinksAgainstWish(before, after) : isSaid(field, before, after)) {
      const taken = after[field];
      const isList = STOPS.has(field) && Array.isArray(value) && Array.isArray(taken);
      if (isList) noteStops(field, { asked: value, taken }, scope);
      continue;
    }
    if (format === 'anthropic-messages' && field === 'metadata' && isObject(value)) noteMetadata(value, scope);
    else lose(scope, { [field]: value });
  }
  if (format === 'anthropic-messages') noteTools(before, after, scope);
  noteMessages(before.messages, after.messages, scope);
}

/** The end user is the owner's affair, whatever a dialect calls him: what else is said of the request is noted. */
function noteMetadata({ user_id: _, ...others }: JsonObject, scope: Scope): void {
  for (const name in others) lose(scope, { [`metadata.${name}`]: others[name] });
}

/** Notes tools that are gone while others stayed. */
function noteTools(before: JsonObject, after: JsonObject, scope: Scope): void {
  const stayed = new Set(asObjects(after.tools).map(({ name }) => name));
  if (stayed.size === 0) return;
  for (const { name } of asObjects(before.tools)) if (!stayed.has(name)) scope.lose(`tools.${asWord(name) ?? ''}`);
}

/** Notes members of messages that are gone. Messages that nobody touched are the same objects. */
function noteMessages(before: Json | undefined, after: Json | undefined, scope: Scope): void {
  if (!Array.isArray(before) || !Array.isArray(after)) return;
  // Instructions are put in front.
  const added = after.length - before.length;
  for (const [at, message] of before.entries()) {
    const fitted = after[at + added];
    if (message === fitted || !isObject(message) || !isObject(fitted)) continue;
    for (const [member, value] of Object.entries(message)) {
      const isThere = fitted[member] !== undefined || fitted[SAID_OTHERWISE[member] ?? ''] !== undefined;
      if (!isThere && value !== null) lose(scope, { [lossOfMember(member)]: value });
    }
  }
}

/** The model was to give no thought to its answer, and gives some: the least that it can, or what it always does. */
function thinksAgainstWish(before: JsonObject, { effort, reasoning_effort = effort }: JsonObject): boolean {
  return reasoning_effort === undefined ? alwaysThinks(asWord(before.model) ?? '') : reasoning_effort !== 'none';
}

function isSaid(field: string, before: JsonObject, after: JsonObject): boolean {
  // Models that cannot think in a whole answer are told not to.
  if (after.enable_thinking === false && wantedThought(field, before)) return false;
  // Asked for in words, which are put in front.
  if (field === 'response_format' && asList(after.messages).length > asList(before.messages).length) return true;
  const successors = SUCCESSORS.get(field) ?? [];
  if (successors.some((name) => after[name] !== undefined && after[name] !== before[name])) return true;
  // Of what is only weakened, this changes what the client gets.
  if (field === 'tool_choice') return after.tool_choice === before.tool_choice || !isForced(before.tool_choice, after);
  return after[field] !== undefined;
}

function wantedThought(field: string, before: JsonObject): boolean {
  const value = before[field];
  if (field === 'reasoning_effort') return value !== 'none' && before.enable_thinking !== false;
  return field === 'enable_thinking' && value === true;
}

/** A tool had to be called, and need not be now. */
function isForced(choice: JsonObject[string] | undefined, after: JsonObject): boolean {
  const wasForced = choice !== 'auto' && choice !== 'none';
  return wasForced && (after.tool_choice === undefined || after.tool_choice === 'auto');
}

/** The refusal for keys that want nothing dropped. */
export function wouldDrop(fields: readonly string[]): TollgateError {
  const named = fields.join(', ');
  return new TollgateError('conversion_would_drop', { fields: named }, { field: named });
}
