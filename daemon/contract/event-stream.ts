/** Server-sent events (WHATWG HTML, section 9.2) as the daemon writes and clients read them, in one place. */

/** One event of a stream. */
export interface StreamedEvent {
  readonly event: string;
  /** What `Last-Event-ID` names to go on behind it; undefined where nothing can be gone on from. */
  readonly id?: string | undefined;
  readonly data: unknown;
}

/** Media type of a stream of events. */
export const eventStreamType = 'text/event-stream';

/** A line that says nothing but that the stream lives. */
export const keepAliveText = ': keep-alive\n\n';

/** Longest text that a reader holds while it waits for the end of an event. */
const longestEvent = 16 * 1024 * 1024;

/** An event as it goes on the wire. */
export function formatEvent({ event, id, data }: StreamedEvent): string {
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/**
 * Events of an answer's body as they arrive; ends with the body, and hangs up when nobody reads on. Comments and events
 * that hold no JSON are passed over. Throws the reason of the signal when that ends it.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<StreamedEvent> {
  const reader = body.getReader();
  // Node's fetch forgets its signal once the garbage collector runs while an answer is read (20.20, seen 2026-11).
  const stop = () => void reader.cancel().catch(() => undefined);
  signal?.addEventListener('abort', stop, { once: true });
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { done, value } = await reader.read();
      signal?.throwIfAborted();
      if (done) return;
      text += decoder.decode(value, { stream: true }).replaceAll('\r', '');
      if (text.length > longestEvent) throw new Error('an event is too long');
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = parseEvent(block);
        if (event) yield event;
      }
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    // Who stops reading hangs up; a body that broke has nothing left to be told.
    await reader.cancel().catch(() => undefined);
  }
}

function parseEvent(block: string): StreamedEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).replace(/^ /, '');
    const before = fields.get(name);
    fields.set(name, name === 'data' && before !== undefined ? `${before}\n${value}` : value);
  }
  const text = fields.get('data');
  if (text === undefined) return undefined;
  try {
    return { event: fields.get('event') ?? 'message', id: fields.get('id'), data: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
