/**
 * Fails a sequence of canonical events that breaks the order which `canonical/event.ts` promises.
 */
import type { ChatEvent } from '../../../daemon/relay/canonical/chat.ts';
import { mergeUsage, type Usage } from '../../../daemon/relay/canonical/usage.ts';
import { type Checked, emptyAnswer } from './answer.ts';

interface Open {
  kind: 'text' | 'reasoning' | 'tool-call';
  call?: { name: string; input: string };
}

interface Choice {
  open: Map<number, Open>;
  next: number;
  finished: boolean;
}

const kindOf: Partial<Record<ChatEvent['type'], Open['kind']>> = {
  'text-start': 'text',
  'text-delta': 'text',
  'text-end': 'text',
  'reasoning-start': 'reasoning',
  'reasoning-delta': 'reasoning',
  'reasoning-signature': 'reasoning',
  'reasoning-end': 'reasoning',
  'tool-call-start': 'tool-call',
  'tool-call-delta': 'tool-call',
  'tool-call-end': 'tool-call',
};

export function checkCanonical(events: readonly ChatEvent[]): Checked & { usageEvent: Usage | undefined } {
  const problems: string[] = [];
  const answer = emptyAnswer();
  const choices = new Map<number, Choice>();
  let starts = 0;
  let usageEvent: Usage | undefined;
  for (const event of events) {
    if (event.type === 'message-start') starts += 1;
    else if (starts === 0 && event.type !== 'error') problems.push(`${event.type} before message-start`);
    if (event.type === 'usage') {
      usageEvent = mergeUsage(usageEvent, event.usage);
      const { prompt, cached, completion } = usageEvent;
      answer.usage = { prompt, cached, completion };
    }
    if (!('choice' in event)) continue;
    let choice = choices.get(event.choice);
    if (choice === undefined) {
      choice = { open: new Map(), next: 0, finished: false };
      choices.set(event.choice, choice);
    }
    if (choice.finished) problems.push(`${event.type} after finish`);
    if (event.type === 'finish') {
      choice.finished = true;
      if (choice.open.size > 0) problems.push('finish with open blocks');
      if (event.choice === 0) answer.finish = event.finish.reason;
      continue;
    }
    if (event.type === 'hosted' && event.choice === 0) answer.text += event.item.text ?? '';
    if (event.type === 'refusal-delta' && event.choice === 0) answer.refusal += event.text;
    if (!('block' in event)) continue;
    const kind = kindOf[event.type];
    if (event.type.endsWith('-start')) {
      if (event.block !== choice.next) problems.push(`block ${event.block} instead of ${choice.next}`);
      choice.next += 1;
      const kinds = [...choice.open.values()].map((open) => open.kind);
      if (kinds.some((open) => open !== 'tool-call')) problems.push(`${event.type} inside another block`);
      const open: Open = { kind: kind ?? 'text' };
      if (event.type === 'tool-call-start') {
        if (event.callId === '' || event.name === '') problems.push('tool call without id or name');
        open.call = { name: event.name, input: '' };
        if (event.choice === 0) answer.calls.push(open.call);
      }
      choice.open.set(event.block, open);
      continue;
    }
    const open = choice.open.get(event.block);
    if (open === undefined || open.kind !== kind) problems.push(`${event.type} outside its block`);
    if (event.type.endsWith('-end')) choice.open.delete(event.block);
    else if ('text' in event) {
      if (event.text === '') problems.push(`empty ${event.type}`);
      if (open?.call !== undefined) open.call.input += event.text;
      else if (event.choice === 0 && kind === 'text') answer.text += event.text;
      else if (event.choice === 0 && kind === 'reasoning') answer.reasoning += event.text;
    }
  }
  const isOnlyError = events.length === 1 && events[0]?.type === 'error';
  if (starts !== 1 && !isOnlyError) problems.push(`${starts} message-start`);
  const isFailed = events.some((event) => event.type === 'error');
  return { problems, answer, isFailed, usageEvent };
}
