/** A reader of live events: keeps what came and waits for what is to come. */
import type { StreamedEvent } from '../../daemon/contract/event-stream.ts';
import { until, untilThere } from './until.ts';

/** Opens a stream with a signal that hangs up. */
export type OpenEvents<Event> = (signal: AbortSignal) => Promise<AsyncIterable<Event>>;

export class EventReader<Event extends StreamedEvent> {
  /** In the order in which they came. */
  readonly seen: Event[] = [];
  readonly #hangUp = new AbortController();
  #isOver = false;

  /** Resolves when the stream says that it is ready. Rejects as the call does. */
  static async open<Event extends StreamedEvent>(open: OpenEvents<Event>): Promise<EventReader<Event>> {
    const reader = new EventReader<Event>();
    void reader.#read(await open(reader.#hangUp.signal));
    await reader.until(({ event }) => event === 'ready');
    return reader;
  }

  /** The first event for which it holds, come already or still to come. Throws when the stream ends without it. */
  until(holds: (event: Event) => boolean): Promise<Event> {
    return untilThere(() => {
      const found = this.seen.find(holds);
      if (found === undefined && this.#isOver) {
        throw new Error(`no such event among ${JSON.stringify(this.seen).slice(0, 2000)}`);
      }
      return found;
    });
  }

  /** True once the daemon has ended the stream. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves when the daemon has ended the stream. */
  end(): Promise<void> {
    return until(() => this.#isOver);
  }

  hangUp(): void {
    this.#hangUp.abort();
  }

  async #read(events: AsyncIterable<Event>): Promise<void> {
    try {
      for await (const event of events) this.seen.push(event);
    } catch {
      // Hung up, or cut off: what matters is what came before.
    } finally {
      this.#isOver = true;
    }
  }
}
