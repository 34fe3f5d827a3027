/**
 * What built-in tools did beside functions. The newest models want each such part back as it came, so it travels to
 * other dialects where they carry proofs of reasoning (`seal.ts`). Source: Google's page on tool combination, read 2026-11.
 */
import type { Seal } from '../../canonical/chat.ts';
import { restoreNumbers } from '../../canonical/exact-numbers.ts';
import { isObject, type JsonObject } from '../../json.ts';
import { asObject, parseJson } from '../fields.ts';

/** The part as a seal; undefined for a part of any other kind. */
export function sealToolRun(part: JsonObject): Seal | undefined {
  if (!isToolRun(part)) return undefined;
  return { origin: 'gemini-generate', data: restoreNumbers(JSON.stringify(part)), redacted: true };
}

/** The part again; undefined for every other seal. */
export function toolRunOf(seal: Seal | undefined): JsonObject | undefined {
  if (seal?.origin !== 'gemini-generate' || seal.redacted !== true) return undefined;
  const part = asObject(parseJson(seal.data));
  return part !== undefined && isToolRun(part) ? part : undefined;
}

function isToolRun(part: JsonObject): boolean {
  return isObject(part.toolCall) || isObject(part.toolResponse);
}
