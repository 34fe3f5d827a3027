/** A client's JSON body, read once: here, or in a thread where it is large (relay.md 17.3, 20.6). */
import { isUtf8 } from 'node:buffer';
import { TollgateError } from '../errors.ts';
import { MAX_DEPTH, MAX_GROUPS, MAX_VALUES } from '../relay/body-scan.ts';
import { isObject, type JsonObject } from '../relay/json.ts';
import { overgrownReason, overgrowthOf } from './json-depth.ts';

/** A body as it was received, and what it says. */
export interface ParsedBody {
  readonly body: Buffer;
  readonly json: JsonObject;
}

/** What the body of a call may hold: it is parsed, translated and written anew on the event loop. */
export const bodyLimits = { deepest: MAX_DEPTH, mostValues: MAX_VALUES, mostGroups: MAX_GROUPS };

/** Throws `invalid_request`. */
export function parseBody(body: Buffer): ParsedBody {
  if (!isUtf8(body)) throw refused('the body is not UTF-8');
  const overgrowth = overgrowthOf(body, bodyLimits);
  if (overgrowth !== undefined) throw refused(overgrownReason('body', overgrowth));
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch (cause) {
    throw new TollgateError('invalid_request', { reason: 'the body is not valid JSON' }, { cause });
  }
  if (!isObject(value)) throw refused('the body must be a JSON object');
  return { body, json: value };
}

function refused(reason: string): TollgateError {
  return new TollgateError('invalid_request', { reason });
}
