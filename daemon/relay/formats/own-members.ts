/**
 * Members of parts, calls, results and tools that one dialect alone knows: its encoder writes them back, for any other they
 * are noted (`loss.ts`). Only members that a vendor documents are read so: clients send back whatever they were told.
 */
import type { Dialect, Extensions } from '../canonical/chat.ts';
import type { JsonObject } from '../json.ts';
import { asObject } from './fields.ts';

/** The named members that say something; undefined for none. */
export function ownMembers(body: JsonObject, dialect: Dialect, names: readonly string[]): Extensions | undefined {
  let own: JsonObject | undefined;
  for (const name of names) {
    const value = body[name];
    if (value === undefined || value === null) continue;
    own ??= {};
    own[name] = value;
  }
  return own === undefined ? undefined : { [dialect]: own };
}

/**
 * Who called a tool (`caller` of Anthropic and of Responses), and the named members beside it. A call of the model itself
 * needs no word anywhere, that of a program which the model wrote for its vendor to run does.
 */
export function ofCall(body: JsonObject, dialect: Dialect, names: readonly string[] = []): Extensions | undefined {
  const isDirect = asObject(body.caller)?.type === 'direct';
  return ownMembers(body, dialect, isDirect ? names : ['caller', ...names]);
}
