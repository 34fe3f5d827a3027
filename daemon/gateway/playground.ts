/** The body of a playground request (relay.md 10.1), which says more than an upstream understands. */
import { TollgateError } from '../errors.ts';
import { type BodyEdit, editBody } from '../relay/body-edit.ts';
import { MAX_DEPTH, MAX_VALUES } from '../relay/body-scan.ts';
import { isObject } from '../relay/json.ts';
import { holdsMoreThan, isDeeperThan } from './json-depth.ts';

/** A playground request without what only Tollgate understands. */
export interface PlaygroundRequest {
  readonly body: Buffer;
  /** Empty for the user's own group. */
  readonly group: string;
}

/**
 * Takes out the group, and a `max_tokens` of 0, which means none. A body that is no object stays as it is, for the
 * inspection to refuse. Throws `invalid_request` for a group that is no text.
 */
export function readPlaygroundRequest(body: Buffer): PlaygroundRequest {
  const isOvergrown = isDeeperThan(body, MAX_DEPTH) || holdsMoreThan(body, MAX_VALUES);
  const value = isOvergrown ? undefined : parse(body);
  if (!isObject(value)) return { body, group: '' };
  const { group, max_tokens: maxTokens } = value;
  if (group !== undefined && group !== null && typeof group !== 'string') {
    throw new TollgateError('invalid_request', { reason: 'group must be a string' }, { field: 'group' });
  }
  const edits: BodyEdit[] = [{ path: ['group'], remove: true }];
  if (maxTokens === 0) edits.push({ path: ['max_tokens'], remove: true });
  return { body: editBody(body, edits), group: group ?? '' };
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
