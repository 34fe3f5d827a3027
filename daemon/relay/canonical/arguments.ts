/**
 * Tool arguments: JSON text in some dialects, an object in others.
 */
import { isObject, type Json, type JsonObject } from '../json.ts';
import { isNestedTooDeep } from '../json-nesting.ts';
import type { ToolCallKind } from './content.ts';

/**
 * The object that argument text stands for. Empty text is no arguments; text that is not a JSON object, or one that is
 * nested too deep to be written, is kept under `_raw`, so that a call is never dropped (relay.md 13.2).
 */
export function argumentsObject(text: string): JsonObject {
  if (text.trim() === '') return {};
  if (isNestedTooDeep(text)) return { _raw: text };
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Broken text is a case of its own below.
  }
  return { _raw: text };
}

/** True where dialects that have arguments as text have these so: shells, patches and searches are asked by objects. */
export function isTextInput(kind: ToolCallKind): boolean {
  return kind === 'function' || kind === 'custom';
}

/** The text of arguments that arrived as text or, from careless senders, as a value. Undefined: none came. */
export function argumentsText(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? undefined : JSON.stringify(value);
}

/**
 * Follows argument text piece by piece and knows whether the pieces so far are one whole JSON object.
 * Keeps a depth and two flags, never the text.
 */
export class ObjectScanner {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #begun = false;

  push(text: string): void {
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (code === 0x5c) this.#escaped = true;
        else if (code === 0x22) this.#inString = false;
      } else if (code === 0x22) this.#inString = true;
      else if (code === 0x7b || code === 0x5b) {
        this.#depth += 1;
        this.#begun = true;
      } else if (code === 0x7d || code === 0x5d) this.#depth -= 1;
    }
  }

  get isWhole(): boolean {
    return this.#begun && this.#depth <= 0 && !this.#inString;
  }
}
