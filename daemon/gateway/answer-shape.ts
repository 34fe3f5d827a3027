/** How a channel's setting wants its answers: thoughts in or out of the text, nothing but standard fields (relay.md 5.3). */
import type { ChatEvent } from '../relay/canonical/chat.ts';
import { type EventReshaper, ThinkTagSplitter, ThinkTagWriter } from '../relay/canonical/think-tags.ts';
import type { FormatId } from '../relay/format.ts';
import { chatFormatOf } from '../relay/formats/index.ts';
import { standsBeside } from '../relay/formats/openai-chat/answer-extras.ts';

/** Makes the reshaper of one answer. */
export type AnswerShape = () => EventReshaper;

/**
 * The shape that a channel wants for clients of a format; undefined for answers as they come. `foreign` ones are not quite
 * of the client's dialect.
 */
export function answerShape(
  setting: Readonly<Record<string, unknown>>,
  client: FormatId,
  manner: 'own' | 'foreign' = 'own',
): AnswerShape | undefined {
  if (chatFormatOf(client) === undefined) return undefined;
  const steps: AnswerShape[] = [];
  if (setting.split_think_tags === true) steps.push(() => new ThinkTagSplitter());
  // Only this dialect's clients look for thoughts inside the text.
  const isChat = client === 'openai-chat';
  if (isChat && setting.thinking_to_content === true) steps.push(() => new ThinkTagWriter());
  if (isChat && setting.force_format === true) steps.push(() => new StandardFields());
  if (steps.length > 0) return () => new Chain(steps.map((step) => step()));
  // To decode and encode an answer leaves what the dialect's codec knows, and what its vendor says beside it.
  return isChat && manner === 'foreign' ? () => new Chain([]) : undefined;
}

/** Leaves out what a vendor says beside its answer. */
class StandardFields implements EventReshaper {
  push(event: ChatEvent): ChatEvent[] {
    return event.type === 'hosted' && standsBeside(event.item) ? [] : [event];
  }

  release(): ChatEvent[] {
    return [];
  }
}

class Chain implements EventReshaper {
  readonly #steps: readonly EventReshaper[];

  constructor(steps: readonly EventReshaper[]) {
    this.#steps = steps;
  }

  push(event: ChatEvent): ChatEvent[] {
    return this.#steps.reduce((events: ChatEvent[], step) => events.flatMap((one) => step.push(one)), [event]);
  }

  release(): ChatEvent[] {
    return this.#steps.reduce(
      (held: ChatEvent[], step) => [...held.flatMap((one) => step.push(one)), ...step.release()],
      [],
    );
  }
}
