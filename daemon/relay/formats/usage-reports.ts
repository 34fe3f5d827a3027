/** Usage reports of one stream laid over each other, for dialects that report piece by piece (relay.md 6.3, 7.2, 14.1). */
import type { Json, JsonObject } from '../json.ts';
import { asObject } from './fields.ts';

/**
 * A later report over an earlier one, as they are on the wire: values of 0, null and empty lists overwrite nothing, and
 * objects are laid over each other in the same way. So a report that leaves out a part (how long a cache lives, the
 * thoughts) takes nothing from what was told of it before.
 */
export function overlayReport(earlier: JsonObject, later: JsonObject | undefined): JsonObject {
  const merged: JsonObject = { ...earlier };
  for (const key in later) {
    const value = later[key];
    if (value === undefined) continue;
    const part = asObject(value);
    const known = Object.hasOwn(merged, key) ? merged[key] : undefined;
    if (part !== undefined) merged[key] = overlayReport(asObject(known) ?? {}, part);
    else if (known === undefined || !isNothing(value)) merged[key] = value;
  }
  return merged;
}

function isNothing(value: Json): boolean {
  return value === null || value === 0 || (Array.isArray(value) && value.length === 0);
}
