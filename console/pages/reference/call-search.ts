/** Which calls a search means. Pure. */
import type { Operation } from '../../../daemon/contract/openapi-reader.ts';

/** True when every word stands in the method, path, name, summary or a refusal of the call. */
export function isMeant(call: Operation, query: string): boolean {
  const text = [call.method, call.path, call.id, call.tag, call.summary.en, call.summary.zh, ...call.errorCodes]
    .join('\n')
    .toLowerCase();
  return wordsOf(query).every((word) => text.includes(word));
}

export function wordsOf(query: string): readonly string[] {
  return query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** By tag, in the order in which tags come first. */
export function byTag<Call extends Operation>(calls: readonly Call[]): readonly (readonly [string, readonly Call[]])[] {
  const groups = new Map<string, Call[]>();
  for (const call of calls) {
    const group = groups.get(call.tag);
    if (group) group.push(call);
    else groups.set(call.tag, [call]);
  }
  return [...groups];
}
