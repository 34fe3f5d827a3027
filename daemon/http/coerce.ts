/** Turns the texts of path and query into what a schema expects, before it judges them. */
import * as z from 'zod/mini';
import type { ObjectSchema } from '../contract/endpoint.ts';
import { trueSpellings } from '../contract/loose.ts';

/** What an emptied number field sends. */
const emptyNumbers = new Set(['', 'NaN', 'null', 'undefined']);

/**
 * The value of one query or path member; undefined means absent. A text that fits no number stays a text, so that the
 * schema refuses it under its name.
 */
export function coerceText(schema: ObjectSchema | undefined, name: string, text: string): unknown {
  const member = schema === undefined ? undefined : schema._zod.def.shape[name];
  const wanted = member === undefined ? undefined : innermost(member);
  if (wanted instanceof z.ZodMiniNumber) {
    if (emptyNumbers.has(text.trim())) return undefined;
    return /^[+-]?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text;
  }
  if (wanted instanceof z.ZodMiniBoolean) return trueSpellings.includes(text);
  if (wanted instanceof z.ZodMiniArray) return text === '' ? [] : text.split(',');
  if (wanted instanceof z.ZodMiniEnum && text === '') return undefined;
  return text;
}

function innermost(schema: z.core.$ZodType): z.core.$ZodType {
  const isWrapped =
    schema instanceof z.ZodMiniOptional ||
    schema instanceof z.ZodMiniNullable ||
    schema instanceof z.ZodMiniDefault ||
    schema instanceof z.ZodMiniPrefault;
  return isWrapped ? innermost(schema._zod.def.innerType) : schema;
}
