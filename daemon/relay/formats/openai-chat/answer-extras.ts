/**
 * Members of an answer that only its vendor knows: ids of requests, verdicts of filters, pages that were read. Clients of
 * this dialect are given them as they came; for others they are noted (`answer-loss.ts`). Source: providers/zhipu.md.
 */
import type { HostedItem } from '../../canonical/chat.ts';
import type { Json, JsonObject } from '../../json.ts';

/** Members that have a place in the canonical answer, or say nothing of it. */
const known: ReadonlySet<string> = new Set([
  'id',
  'object',
  'created',
  'model',
  'choices',
  'usage',
  'service_tier',
  'system_fingerprint',
  'error',
  'obfuscation',
]);

/** True for an item that is such a member: it stands beside the answer, and is no output. */
export function standsBeside({ dialect }: Pick<HostedItem, 'dialect'>): boolean {
  return dialect === 'openai-chat';
}

/** Those of a whole answer, or of a chunk. */
export function readExtras(body: JsonObject): HostedItem[] {
  const extras: HostedItem[] = [];
  for (const name in body) {
    const raw = body[name];
    if (known.has(name) || raw === undefined || isEmpty(raw)) continue;
    extras.push({ type: 'hosted', dialect: 'openai-chat', name, raw });
  }
  return extras;
}

/** As members of an answer again. */
export function encodeExtras(items: readonly HostedItem[]): JsonObject {
  return Object.fromEntries(items.filter(standsBeside).map(({ name, raw }) => [name, raw]));
}

function isEmpty(value: Json): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}
