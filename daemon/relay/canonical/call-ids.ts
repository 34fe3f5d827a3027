/**
 * Ids of tool calls that clients use again, as those do that count the calls of each answer anew: vendors that tell
 * calls apart by their ids alone refuse such a conversation.
 */
import type { ChatItem } from './chat.ts';
import { Waiting } from './waiting.ts';

/**
 * The items with an id of its own for every call; the very list where each has one. The first call by an id keeps it. A
 * result goes with the first call of its turn that has none yet.
 */
export function withOwnCallIds(items: readonly ChatItem[]): readonly ChatItem[] {
  const taken = new Set<string>();
  let isRepeated = false;
  for (const item of items) {
    if (item.type !== 'tool-call') continue;
    isRepeated ||= taken.has(item.callId);
    taken.add(item.callId);
  }
  return isRepeated ? renamed(items, taken) : items;
}

function renamed(items: readonly ChatItem[], taken: Set<string>): ChatItem[] {
  const uses = new Map<string, number>();
  /** By the id that the client gives, the newest turn's calls without a result. */
  const open = new Map<string, Waiting<string>>();
  const newest = new Map<string, string>();
  let hasSpoken = true;
  return items.map((item) => {
    if (item.type === 'tool-call') {
      if (!hasSpoken) open.clear();
      hasSpoken = true;
      const callId = ownId(item.callId, uses, taken);
      let waiting = open.get(item.callId);
      if (waiting === undefined) open.set(item.callId, (waiting = new Waiting()));
      waiting.add(callId);
      newest.set(item.callId, callId);
      return callId === item.callId ? item : { ...item, callId };
    }
    if (item.type === 'user' || item.type === 'tool-result') hasSpoken = false;
    if (item.type !== 'tool-result') return item;
    const callId = open.get(item.callId)?.take() ?? newest.get(item.callId);
    return callId === undefined || callId === item.callId ? item : { ...item, callId };
  });
}

/** The same for the same conversation, so that what a vendor has cached of it stays good. */
function ownId(callId: string, uses: Map<string, number>, taken: Set<string>): string {
  let use = (uses.get(callId) ?? 0) + 1;
  while (use > 1 && taken.has(`${callId}_${use}`)) use += 1;
  const own = use === 1 ? callId : `${callId}_${use}`;
  uses.set(callId, use);
  taken.add(own);
  return own;
}
