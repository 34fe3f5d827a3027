/** The body of a streamed answer as canonical events: framing and decoder of one answer. */
import { TollgateError } from '../errors.ts';
import type { ChatEvent } from '../relay/canonical/event.ts';
import type { AnswerDecoder, WireEvent } from '../relay/format.ts';
import { type EventTaker, SseParser } from '../relay/framing/sse.ts';

/**
 * Most that is read of one answer, in characters: as much as of one that comes whole (relay.md 17.3). Encoders and
 * collectors keep what they cannot tell yet, so without a limit an upstream that never ends would fill the memory.
 */
export const MAX_ANSWER_LENGTH = 128 * 1024 * 1024;
/** What an event takes up that says little: the start of a block, its end, one likely token. */
const BARE_LENGTH = 128;

export class AnswerEvents implements EventTaker {
  readonly #parser = new SseParser();
  readonly #decoder: AnswerDecoder;
  #told: ChatEvent[] = [];
  #length = 0;

  constructor(decoder: AnswerDecoder) {
    this.#decoder = decoder;
  }

  /** All of the answer has come, on a wire whose streams end with their body alone. */
  get hasSaidItsEnd(): boolean {
    return this.#decoder.hasSaidItsEnd === true;
  }

  /** What these bytes complete. Throws as `SseParser.push`, and `bad_response_body` for an answer without end. */
  push(chunk: Uint8Array): ChatEvent[] {
    this.#parser.feed(chunk, this);
    return this.#taken();
  }

  /** What the end of the body completes. An event within which it broke off says nothing, nor against what came before. */
  end(): ChatEvent[] {
    for (const event of this.#parser.end()) {
      const told = this.#decoder.push(event);
      if (!told.some(isTorn)) this.#told.push(...told);
    }
    this.#told.push(...this.#decoder.end());
    return this.#taken();
  }

  take(event: WireEvent): void {
    const told = this.#decoder.push(event);
    // It may have been put aside, as pieces of a call are whose name has not come.
    if (told.length === 0) this.#length += event.data.length;
    for (const one of told) this.#told.push(one);
  }

  takeRun(text: string, start: number, joint: string): number {
    const run = this.#decoder.frame?.run(text, start, joint);
    if (run === undefined || this.#decoder.pushText === undefined) return start;
    for (const told of this.#decoder.pushText(run.text)) this.#told.push(told);
    return run.next;
  }

  #taken(): ChatEvent[] {
    const told = this.#told;
    this.#told = [];
    for (const event of told) this.#length += lengthOf(event);
    if (this.#length > MAX_ANSWER_LENGTH) {
      throw new TollgateError('bad_response_body', {}, { cause: new Error('the answer does not end') });
    }
    return told;
  }
}

function isTorn(event: ChatEvent): boolean {
  return event.type === 'error' && event.error.code === 'bad_response_body';
}

function lengthOf(event: ChatEvent): number {
  switch (event.type) {
    case 'text-delta':
    case 'reasoning-delta':
    case 'refusal-delta':
    case 'tool-call-delta':
      return event.text.length;
    case 'image':
      return (event.data ?? event.url ?? '').length;
    case 'audio-delta':
      return (event.data ?? '').length + (event.transcript ?? '').length;
    // Every token of an answer may come with them.
    case 'logprobs':
      return event.tokens.reduce((length, { top }) => length + (1 + top.length) * BARE_LENGTH, 0);
    case 'annotation':
    case 'hosted':
      return JSON.stringify(event).length;
    default:
      return BARE_LENGTH;
  }
}
