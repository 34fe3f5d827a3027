/** The body of a streamed answer as canonical events: framing and decoder of one answer. */
import type { ChatEvent } from '../relay/canonical/event.ts';
import type { AnswerDecoder, WireEvent } from '../relay/format.ts';
import { type EventTaker, SseParser } from '../relay/framing/sse.ts';

export class AnswerEvents implements EventTaker {
  readonly #parser = new SseParser();
  readonly #decoder: AnswerDecoder;
  #told: ChatEvent[] = [];

  constructor(decoder: AnswerDecoder) {
    this.#decoder = decoder;
  }

  /** All of the answer has come, on a wire whose streams end with their body alone. */
  get hasSaidItsEnd(): boolean {
    return this.#decoder.hasSaidItsEnd === true;
  }

  /** What these bytes complete. Throws as `SseParser.push`. */
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
    for (const told of this.#decoder.push(event)) this.#told.push(told);
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
    return told;
  }
}

function isTorn(event: ChatEvent): boolean {
  return event.type === 'error' && event.error.code === 'bad_response_body';
}
