/** A reader of live events: keeps what came and waits for what is to come. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamedEvent } from '../../daemon/contract/event-stream.ts';

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

  /** The first event for which it holds, come already or still to come. Throws after the patience is over. */
  async until(holds: (event: Event) => boolean, patienceMs = 4000): Promise<Event> {
    const began = performance.now();
    for (;;) {
      const found = this.seen.find(holds);
      if (found) return found;
      if (performance.now() - began > patienceMs || this.#isOver) {
        throw new Error(`no such event among ${JSON.stringify(this.seen).slice(0, 2000)}`);
      }
      await sleep(10);
    }
  }

  /** Resolves when the daemon has ended the stream. */
  async end(patienceMs = 4000): Promise<void> {
    const began = performance.now();
    while (!this.#isOver) {
      if (performance.now() - began > patienceMs) throw new Error('the stream goes on');
      await sleep(10);
    }
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
