/**
 * Small changes of OpenAI-style bodies that several vendors ask for. Each changes members of the body it is given and
 * copies what lies deeper.
 */
import { asObject, asObjects, asTexts } from '../formats/fields.ts';
import { objectInstruction, schemaInstruction } from '../formats/json-instruction.ts';
import { type StopRule, takenStops } from '../formats/stop-words.ts';
import type { Json, JsonObject } from '../json.ts';

export function removeFields(body: JsonObject, fields: readonly string[]): void {
  for (const field of fields) delete body[field];
}

/** Gives a field another name; a value already there under the new name stays. */
export function renameField(body: JsonObject, from: string, to: string): void {
  const value = body[from];
  if (value === undefined) return;
  if (body[to] === undefined || body[to] === null) body[to] = value;
  delete body[from];
}

/** Rewrites messages; the list is copied only if `change` gives another object back. */
export function changeMessages(body: JsonObject, change: (message: JsonObject, index: number) => JsonObject): void {
  if (!Array.isArray(body.messages)) return;
  const changed = body.messages.map((entry, index): Json => {
    const message = asObject(entry);
    return message === undefined ? entry : change(message, index);
  });
  body.messages = changed;
}

/** For vendors that know no `developer` role. */
export function developerToSystem(body: JsonObject): void {
  changeMessages(body, (message) => (message.role === 'developer' ? { ...message, role: 'system' } : message));
}

/** Removes a member of every function tool. */
export function removeFromFunctions(body: JsonObject, field: string): void {
  if (!Array.isArray(body.tools)) return;
  body.tools = body.tools.map((entry) => {
    const tool = asObject(entry);
    const own = asObject(tool?.function);
    if (own === undefined || own[field] === undefined) return entry;
    const { [field]: _, ...rest } = own;
    return { ...tool, function: rest };
  });
}

/** Text of a content that consists of text parts alone; undefined for any other. */
export function plainContent(content: Json | undefined): string | undefined {
  if (!Array.isArray(content)) return undefined;
  const parts = asObjects(content);
  const texts = parts.map((part) => (part.type === 'text' ? part.text : undefined));
  if (parts.length !== content.length || !texts.every((text) => typeof text === 'string')) return undefined;
  return texts.join('\n');
}

/** Removes a member of every message. */
export function removeFromMessages(body: JsonObject, field: string): void {
  changeMessages(body, (message) => {
    if (message[field] === undefined) return message;
    const { [field]: _, ...rest } = message;
    return rest;
  });
}

/** For vendors that name the thoughts of earlier turns `reasoning`. */
export function reasoningAsReasoning(body: JsonObject): void {
  changeMessages(body, (message) => {
    const { reasoning_content: thought, ...rest } = message;
    return thought === undefined ? message : { ...rest, reasoning: rest.reasoning ?? thought };
  });
}

/** For vendors that know JSON answers but no schema: the schema becomes an instruction before the conversation. */
export function schemaAsInstruction(body: JsonObject): void {
  const format = asObject(body.response_format);
  if (format?.type !== 'json_schema') return;
  body.response_format = { type: 'json_object' };
  const schema = asObject(format.json_schema)?.schema;
  if (schema === undefined || !Array.isArray(body.messages)) return;
  const content = `Answer with one JSON value that follows this JSON schema:\n${JSON.stringify(schema)}`;
  body.messages = [{ role: 'system', content }, ...body.messages];
}

/** For vendors that are asked for JSON in words alone. */
export function formatAsInstruction(body: JsonObject): void {
  const format = asObject(body.response_format);
  if (format === undefined || !Array.isArray(body.messages)) return;
  const schema = asObject(format.json_schema)?.schema;
  const isSchema = format.type === 'json_schema' && schema !== undefined;
  const content = isSchema ? schemaInstruction(schema) : format.type === 'text' ? undefined : objectInstruction;
  delete body.response_format;
  if (content !== undefined) body.messages = [{ role: 'system', content }, ...body.messages];
}

/** Leaves out the words of a list that the vendor does not take to end an answer. */
export function fewerStops(body: JsonObject, rule: StopRule): void {
  const asked = asTexts(body.stop);
  const taken = takenStops(asked, rule);
  if (taken.length === asked.length) return;
  if (taken.length > 0) body.stop = taken;
  else delete body.stop;
}

/** Keeps a number within a range; anything else stays as it is. */
export function clampField(body: JsonObject, field: string, range: { min: number; max: number }): void {
  const value = body[field];
  if (typeof value === 'number') body[field] = Math.min(range.max, Math.max(range.min, value));
}

/** For vendors that let tools be called or not, but never force one. */
export function unforcedTools(body: JsonObject): void {
  if (body.tool_choice !== undefined && body.tool_choice !== 'none') body.tool_choice = 'auto';
}

/** For vendors whose scale of efforts ends at `high`. */
export function effortUpToHigh(body: JsonObject): void {
  if (body.reasoning_effort === 'xhigh' || body.reasoning_effort === 'max') body.reasoning_effort = 'high';
}

const scale = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** The nearest of the efforts that a vendor knows, of two as near the greater; undefined where there is none. */
export function nearestEffort(wish: string, known: readonly string[]): string | undefined {
  const at = scale.indexOf(wish);
  if (at < 0) return undefined;
  const far = (effort: string) => Math.abs(scale.indexOf(effort) - at);
  return known.toReversed().reduce<string | undefined>((best, effort) => {
    return best === undefined || far(effort) < far(best) ? effort : best;
  }, undefined);
}
