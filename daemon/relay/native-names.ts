/**
 * Names of events, for native clients of the dialects that name each event as its `type` does. Some hosts send events
 * without names, or all under one; the official package of Messages reads no event but by its name.
 */
import { asWord } from './formats/fields.ts';
import { type EventSpan, eventsIn, patched, type SlicePatch, StreamEvent } from './native-events.ts';

const nameMark = 'event:';

export class EventNames {
  /** Undefined until the stream's first event has told. */
  #areMissing: boolean | undefined;

  /** The slice with each event named; the same where the upstream names its events itself. */
  apply(slice: Buffer): Buffer {
    if (this.#areMissing === false || slice.length === 0) return slice;
    const patches: SlicePatch[] = [];
    for (const span of eventsIn(slice)) {
      const patch = named(slice, span);
      this.#areMissing ??= patch !== undefined;
      if (!this.#areMissing) return slice;
      if (patch !== undefined) patches.push(patch);
    }
    return patched(slice, patches);
  }
}

/** The event with its name before it; undefined where it stands there, or where nobody knows it. */
function named(slice: Buffer, span: EventSpan): SlicePatch | undefined {
  const event = new StreamEvent(slice, span);
  const name = asWord(event.json?.type);
  const lines = slice.toString('latin1', span.start, span.end).split('\n');
  if (name === undefined || lines.some((line) => nameOf(line) === name)) return undefined;
  const kept = lines.filter((line) => line !== '' && !line.startsWith(nameMark));
  const rest = Buffer.from(`${kept.join('\n')}\n\n`, 'latin1');
  return { ...span, bytes: Buffer.concat([Buffer.from(`${nameMark} ${name}\n`), rest]) };
}

function nameOf(line: string): string | undefined {
  return line.startsWith(nameMark) ? line.slice(nameMark.length).trim() : undefined;
}
