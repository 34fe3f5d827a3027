/** Pieces of one text that arrive together become one: under load that saves every later step most of its work. */
import type { ChatEvent } from './event.ts';

/** The same events, with neighbouring pieces of one block joined. */
export function joinPieces(events: readonly ChatEvent[]): readonly ChatEvent[] {
  if (events.length < 2) return events;
  const joined: ChatEvent[] = [];
  let texts: string[] = [];
  let first: ChatEvent | undefined;
  const settle = () => {
    if (first === undefined) return;
    joined.push(texts.length > 1 && 'text' in first ? { ...first, text: texts.join('') } : first);
    first = undefined;
    texts = [];
  };
  for (const event of events) {
    if (first === undefined || !continues(first, event)) settle();
    if (event.type !== 'text-delta' && event.type !== 'reasoning-delta') {
      joined.push(event);
      continue;
    }
    first ??= event;
    texts.push(event.text);
  }
  settle();
  return joined;
}

function continues(first: ChatEvent, next: ChatEvent): boolean {
  if (first.type === 'text-delta') {
    return next.type === 'text-delta' && next.block === first.block && next.choice === first.choice;
  }
  return (
    first.type === 'reasoning-delta' &&
    next.type === 'reasoning-delta' &&
    next.block === first.block &&
    next.choice === first.choice &&
    next.part === first.part
  );
}
