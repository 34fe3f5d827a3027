/**
 * `cache_control`, as Anthropic spells it and chat clients borrow it.
 */
import type { CacheMark } from '../canonical/chat.ts';
import type { Json, JsonObject } from '../json.ts';
import { asObject } from './fields.ts';

/** `{type:'ephemeral', ttl?}`; undefined when there is none. */
export function readCacheMark(value: Json | undefined): CacheMark | undefined {
  const mark = asObject(value);
  if (mark === undefined) return undefined;
  return mark.ttl === '5m' || mark.ttl === '1h' ? { ttl: mark.ttl } : {};
}

/** The mark as a wire object, its lifetime only where the client named one. */
export function writeCacheMark(mark: CacheMark): JsonObject {
  return mark.ttl === undefined ? { type: 'ephemeral' } : { type: 'ephemeral', ttl: mark.ttl };
}
