/**
 * Where results of tool calls stand. Some dialects let anything stand between a call and its result, as long as both are
 * there; most vendors want the results right behind the calls of their turn, and refuse the conversation otherwise.
 */
import type { ChatItem } from './chat.ts';

/** What the model says in one go, the results of its calls, and what follows before it speaks again. */
interface Turn {
  readonly said: ChatItem[];
  readonly results: ChatItem[];
  readonly rest: ChatItem[];
}

/** The items with every result right behind the turn that called for it; the very list where they are there already. */
export function withResultsAtCalls(items: readonly ChatItem[]): readonly ChatItem[] {
  return areAtCalls(items) ? items : rearranged(items);
}

/** True where no result stands elsewhere; results without any call stand nowhere else. */
function areAtCalls(items: readonly ChatItem[]): boolean {
  let turn = 0;
  let hasSpoken = true;
  const turnOf = new Map<string, number>();
  const early = new Set<string>();
  for (const item of items) {
    if (item.type === 'user' || item.type === 'system') {
      turn += 1;
      hasSpoken = false;
    } else if (item.type === 'tool-result') {
      const called = turnOf.get(item.callId);
      if (called === undefined) early.add(item.callId);
      else if (called !== turn) return false;
      hasSpoken = false;
    } else {
      if (!hasSpoken) turn += 1;
      hasSpoken = true;
      if (item.type !== 'tool-call') continue;
      if (early.has(item.callId)) return false;
      turnOf.set(item.callId, turn);
    }
  }
  return true;
}

function rearranged(items: readonly ChatItem[]): ChatItem[] {
  const turns: Turn[] = [{ said: [], results: [], rest: [] }];
  /** The first and the last turn that calls by an id: careless clients use ids again. */
  const callers = new Map<string, { readonly first: Turn; last: Turn }>();
  const early: { readonly item: ChatItem; readonly callId: string; readonly turn: Turn }[] = [];
  let current = turns[0];
  for (const item of items) {
    if (current === undefined) break;
    if (item.type === 'user' || item.type === 'system') current.rest.push(item);
    else if (item.type === 'tool-result') {
      const caller = callers.get(item.callId)?.last;
      if (caller === undefined) early.push({ item, callId: item.callId, turn: current });
      else caller.results.push(item);
    } else {
      if (current.results.length > 0 || current.rest.length > 0)
        turns.push((current = { said: [], results: [], rest: [] }));
      current.said.push(item);
      if (item.type !== 'tool-call') continue;
      const known = callers.get(item.callId);
      if (known === undefined) callers.set(item.callId, { first: current, last: current });
      else known.last = current;
    }
  }
  for (const { item, callId, turn } of early) {
    const caller = callers.get(callId)?.first;
    if (caller === undefined) turn.rest.push(item);
    else caller.results.push(item);
  }
  return turns.flatMap(({ said, results, rest }) => [...said, ...results, ...rest]);
}
