/**
 * Who called a tool: the model itself, or a program that it wrote for its vendor to run (`caller` of Anthropic and of
 * Responses). Source: the types of both vendors' SDKs, read 2026-11.
 */
import type { Dialect, Extensions } from '../canonical/chat.ts';
import type { JsonObject } from '../json.ts';
import { asObject } from './fields.ts';

/** The member for its own dialect; undefined where the model called, which needs no word anywhere. */
export function callerOf({ caller }: JsonObject, dialect: Dialect): Extensions | undefined {
  const fields = asObject(caller);
  if (fields === undefined || fields.type === 'direct') return undefined;
  return { [dialect]: { caller: fields } };
}
