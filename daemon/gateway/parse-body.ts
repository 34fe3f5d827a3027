/** A client's JSON body, read once: here, or in a thread where it is large (relay.md 17.3, 20.6). */
import { isUtf8 } from 'node:buffer';
import { TollgateError } from '../errors.ts';
import { MAX_DEPTH, MAX_VALUES } from '../relay/body-scan.ts';
import { isObject, type JsonObject } from '../relay/json.ts';
import { holdsMoreThan, isDeeperThan } from './json-depth.ts';

/** A body as it was received, and what it says. */
export interface ParsedBody {
  readonly body: Buffer;
  readonly json: JsonObject;
}

/** Throws `invalid_request`. */
export function parseBody(body: Buffer): ParsedBody {
  if (!isUtf8(body)) throw refused('the body is not UTF-8');
  if (isDeeperThan(body, MAX_DEPTH)) throw refused(`the body is nested deeper than ${MAX_DEPTH} levels`);
  if (holdsMoreThan(body, MAX_VALUES)) throw refused(`the body holds more than ${MAX_VALUES} values`);
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
