/** The body of a playground request (relay.md 10.1), which says more than an upstream understands. */
import { TollgateError } from '../errors.ts';
import { type BodyEdit, editScanned } from '../relay/body-edit.ts';
import { type ObjectSpan, scanTopLevel } from '../relay/body-scan.ts';
import type { Json } from '../relay/json.ts';
import { overgrowthOf } from './json-depth.ts';
import { bodyLimits } from './parse-body.ts';

/** A playground request without what only Tollgate understands. */
export interface PlaygroundRequest {
  readonly body: Buffer;
  /** Empty for the user's own group. */
  readonly group: string;
}

/**
 * Takes out the group, and a `max_tokens` of 0, which means none; the rest is passed over without being parsed. A body
 * that is no object stays as it is, for the inspection to refuse. Throws `invalid_request` for a group that is no text.
 */
export function readPlaygroundRequest(body: Buffer): PlaygroundRequest {
  const object = overgrowthOf(body, bodyLimits) === undefined ? scanned(body) : undefined;
  if (object === undefined) return { body, group: '' };
  const group = memberOf(body, object, 'group');
  if (group !== undefined && group !== null && typeof group !== 'string') {
    throw new TollgateError('invalid_request', { reason: 'group must be a string' }, { field: 'group' });
  }
  const edits: BodyEdit[] = [{ path: ['group'], remove: true }];
  if (memberOf(body, object, 'max_tokens') === 0) edits.push({ path: ['max_tokens'], remove: true });
  return { body: editScanned(body, object, edits), group: group ?? '' };
}

function scanned(body: Buffer): ObjectSpan | undefined {
  try {
    return scanTopLevel(body);
  } catch {
    // What is wrong with it is said by whoever parses it.
    return undefined;
  }
}

/** What the last member of this name says; undefined also for what is no JSON. */
function memberOf(body: Buffer, { members }: ObjectSpan, name: string): Json | undefined {
  const member = members.findLast(({ key }) => key === name);
  if (member === undefined) return undefined;
  try {
    return JSON.parse(body.toString('utf8', member.valueStart, member.end));
  } catch {
    return undefined;
  }
}
