/**
 * Thoughts that stand in the text between `<think>` and `</think>` (relay.md 5.3, REQ-14): taken out of it for upstreams
 * whose models write them there, put into it for clients that show nothing else. Works on events, so whole answers and
 * streams come to the same.
 */
import type { ChatEvent } from './event.ts';

/** Turns each event of one answer into those that take its place. What it holds back it lets go with `finish`. */
export interface EventReshaper {
  push(event: ChatEvent): ChatEvent[];
  /** What it holds back of an answer that breaks off. */
  release(): ChatEvent[];
}

const opening = '<think>';
const closing = '</think>';

/** How thoughts stand in front of a text. */
export interface ThoughtMarks {
  /** What a thought may begin with, and what ends it then. */
  readonly tags: readonly (readonly [opening: string, closing: string])[];
  /** The end by which a thought is known whose beginning is missing: all text waits for it. Undefined: none is. */
  readonly loneEnd?: string;
}

/** Templates of models may swallow the opening tag. */
const swallowed: ThoughtMarks = { tags: [[opening, closing]], loneEnd: closing };
/**
 * A thought without its opening tag is known by its end alone; text beyond this length is none, and no tag is waited for
 * behind as much white space.
 */
const mostHeld = 64 * 1024;
/** White space that is held because it may stand before a closing tag: it is looked through with each piece that comes. */
const mostBlank = 4096;

/** Takes thoughts out of the text. */
export class ThinkTagSplitter implements EventReshaper {
  readonly #choices = new Map<number, SplitChoice>();
  readonly #marks: ThoughtMarks;

  constructor(marks: ThoughtMarks = swallowed) {
    this.#marks = marks;
  }

  push(event: ChatEvent): ChatEvent[] {
    if (!('choice' in event)) return [event];
    let choice = this.#choices.get(event.choice);
    if (choice === undefined) this.#choices.set(event.choice, (choice = new SplitChoice(event.choice, this.#marks)));
    return choice.push(event);
  }

  release(): ChatEvent[] {
    return [...this.#choices.values()].flatMap((choice) => choice.release());
  }
}

class SplitChoice {
  readonly #choice: number;
  readonly #marks: ThoughtMarks;
  /** Blocks by the number that the upstream's decoder gave them: one of text may become two. */
  readonly #blocks = new Map<number, number>();
  #next = 0;
  #state: 'opening' | 'thinking' | 'settled' = 'opening';
  /** What ends the thought. */
  #closing = '';
  /** What cannot be told apart from a tag yet. */
  #held = '';
  #open: number | undefined;
  /** Line breaks behind a tag belong to it. */
  #trims = false;
  #openKind: 'text' | 'reasoning' = 'text';

  constructor(choice: number, marks: ThoughtMarks) {
    this.#choice = choice;
    this.#marks = marks;
  }

  push(event: Extract<ChatEvent, { choice: number }>): ChatEvent[] {
    const out: ChatEvent[] = [];
    switch (event.type) {
      case 'text-start':
        break;
      case 'text-delta':
        this.#take(out, event.text);
        break;
      case 'text-end':
        this.#release(out);
        this.#endOpen(out, event.seal);
        break;
      case 'finish':
        this.#release(out);
        this.#endOpen(out);
        out.push(event);
        break;
      case 'reasoning-start':
        // The upstream tells its thoughts apart by itself.
        this.#state = 'settled';
        out.push(this.#moved(event));
        break;
      default:
        out.push('block' in event ? this.#moved(event) : event);
    }
    return out;
  }

  release(): ChatEvent[] {
    const out: ChatEvent[] = [];
    this.#release(out);
    this.#endOpen(out);
    return out;
  }

  #take(out: ChatEvent[], text: string): void {
    if (this.#state === 'settled') {
      this.#text(out, text);
      return;
    }
    this.#held += text;
    if (this.#state === 'opening') this.#look(out);
    if (this.#state === 'thinking') this.#think(out);
  }

  #look(out: ChatEvent[]): void {
    const { tags, loneEnd } = this.#marks;
    const start = this.#held.trimStart();
    const begun = tags.find(([first]) => start.startsWith(first));
    if (begun !== undefined) {
      const [first, last] = begun;
      this.#held = start.slice(first.length);
      this.#trims = true;
      this.#beginThought(out, last);
    } else if (!tags.some(([first]) => first.startsWith(start))) {
      if (loneEnd !== undefined && this.#held.includes(loneEnd)) this.#beginThought(out, loneEnd);
      else if (loneEnd === undefined || this.#held.length > mostHeld) this.#release(out);
    } else if (this.#held.length > mostHeld) this.#release(out);
  }

  #beginThought(out: ChatEvent[], closing: string): void {
    this.#state = 'thinking';
    this.#closing = closing;
    this.#begin(out, 'reasoning');
  }

  #think(out: ChatEvent[]): void {
    const end = this.#held.indexOf(this.#closing);
    if (end < 0) {
      const certain = this.#held.length - tailOf(this.#held, this.#closing);
      this.#reason(out, this.#held.slice(0, certain));
      this.#held = this.#held.slice(certain);
      return;
    }
    this.#reason(out, this.#held.slice(0, end).trimEnd());
    const rest = this.#held.slice(end + this.#closing.length);
    this.#held = '';
    this.#state = 'settled';
    this.#trims = true;
    this.#endOpen(out);
    this.#text(out, rest);
  }

  /** No tag will come any more. */
  #release(out: ChatEvent[]): void {
    const held = this.#held;
    this.#held = '';
    if (this.#state === 'thinking') this.#reason(out, held);
    this.#state = this.#state === 'thinking' ? 'settled' : this.#state;
    if (held === '' || this.#open !== undefined) return;
    this.#state = 'settled';
    this.#text(out, held);
  }

  #text(out: ChatEvent[], text: string): void {
    const words = this.#trimmed(text);
    if (words === '') return;
    if (this.#open === undefined) this.#begin(out, 'text');
    out.push({ type: 'text-delta', choice: this.#choice, block: this.#open ?? 0, text: words });
  }

  #reason(out: ChatEvent[], text: string): void {
    const words = this.#trimmed(text);
    if (words === '') return;
    out.push({ type: 'reasoning-delta', choice: this.#choice, block: this.#open ?? 0, text: words, part: 0 });
  }

  #trimmed(text: string): string {
    const words = this.#trims ? text.trimStart() : text;
    if (words !== '') this.#trims = false;
    return words;
  }

  #begin(out: ChatEvent[], kind: 'text' | 'reasoning'): void {
    const choice = this.#choice;
    const block = this.#next++;
    this.#open = block;
    this.#openKind = kind;
    if (kind === 'text') out.push({ type: 'text-start', choice, block });
    else out.push({ type: 'reasoning-start', choice, block, form: 'full' });
  }

  #endOpen(out: ChatEvent[], seal?: Extract<ChatEvent, { type: 'text-end' }>['seal']): void {
    if (this.#open === undefined) return;
    const at = { choice: this.#choice, block: this.#open };
    this.#open = undefined;
    if (this.#openKind === 'reasoning') out.push({ type: 'reasoning-end', ...at });
    else out.push({ type: 'text-end', ...at, ...(seal === undefined ? {} : { seal }) });
  }

  /** The event under the number that its block has here. */
  #moved<E extends ChatEvent & { readonly block: number }>(event: E): E {
    let block = this.#blocks.get(event.block);
    if (block === undefined) this.#blocks.set(event.block, (block = this.#next++));
    return { ...event, block };
  }
}

/**
 * Length of the end of a thought that may belong to its closing tag: white space, unless it is very long, and the
 * beginning of the tag.
 */
function tailOf(text: string, closing: string): number {
  let length = 0;
  for (let cut = Math.min(closing.length - 1, text.length); cut > 0; cut -= 1) {
    if (closing.startsWith(text.slice(-cut))) {
      length = cut;
      break;
    }
  }
  const before = text.slice(0, text.length - length);
  const blank = before.length - before.trimEnd().length;
  return blank > mostBlank ? length : length + blank;
}

/** Puts thoughts into the text, between tags. */
export class ThinkTagWriter implements EventReshaper {
  readonly #choices = new Map<number, { state: 'silent' | 'thinking' | 'speaking'; summary: number; last: number }>();

  push(event: ChatEvent): ChatEvent[] {
    if (!('choice' in event)) return [event];
    let known = this.#choices.get(event.choice);
    if (known === undefined) this.#choices.set(event.choice, (known = { state: 'silent', summary: 0, last: 0 }));
    const { choice } = event;
    if ('block' in event) known.last = Math.max(known.last, event.block);
    switch (event.type) {
      case 'reasoning-start':
        known.summary = 0;
        return [{ type: 'text-start', choice, block: event.block }];
      case 'reasoning-delta': {
        const begins = known.state !== 'thinking';
        const breaks = event.part > known.summary ? '\n\n' : '';
        known.state = 'thinking';
        known.summary = event.part;
        const text = `${begins ? `${opening}\n` : breaks}${event.text}`;
        return [{ type: 'text-delta', choice, block: event.block, text }];
      }
      case 'reasoning-end':
        return [{ type: 'text-end', choice, block: event.block }];
      case 'text-delta': {
        if (known.state !== 'thinking') return [event];
        known.state = 'speaking';
        return [{ ...event, text: `\n${closing}\n${event.text}` }];
      }
      case 'finish': {
        if (known.state !== 'thinking') return [event];
        known.state = 'speaking';
        const at = { choice, block: known.last + 1 };
        const text = `\n${closing}\n`;
        return [{ type: 'text-start', ...at }, { type: 'text-delta', ...at, text }, { type: 'text-end', ...at }, event];
      }
      default:
        return [event];
    }
  }

  release(): ChatEvent[] {
    return [];
  }
}
