/**
 * Small changes of OpenAI-style bodies that several vendors ask for. Each changes members of the body it is given and
 * copies what lies deeper.
 */
import { asObject, asObjects } from '../formats/fields.ts';
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
