/**
 * The one usage report that a client of the native lane is shown who asked for usage (relay.md 5.3). Some upstreams
 * report with every piece, or twice at the end: what is not the last word of the stream is taken out, and the last
 * report goes where the protocol has it, as it came if it says what is charged.
 */
import type { Usage } from './canonical/usage.ts';
import type { JsonObject } from './json.ts';
import { type EventSpan, nothing, type SlicePatch, type StreamEvent } from './native-events.ts';
import { type StreamProfile, silentEvent } from './native-profile.ts';

/** One report of a stream, where it was found. */
export interface UsageReport {
  readonly slice: Buffer;
  readonly span: EventSpan;
  readonly event: StreamEvent;
  /** Undefined for a report of zeros. */
  readonly usage: Usage | undefined;
  /** What takes it out: all of its event, or the part of it that tells of usage. */
  readonly patch: SlicePatch;
}

interface HeldReport {
  readonly usage: Usage;
  /** The whole event, until it is known that something follows it which is no end mark. */
  readonly event: Buffer | undefined;
  /** What of the event goes to the client in any case. */
  readonly rest: Buffer;
  /** The report in the upstream's words, where it stands in an event that says more. */
  readonly own: JsonObject | undefined;
}

const endMark = /^data: ?\[DONE\] *\n\n/;
const END_MARK_REACH = 64;

export class ShownUsage {
  readonly #profile: StreamProfile;
  #held: HeldReport | undefined;
  /** The client has had its report. */
  isSent = false;

  constructor(profile: StreamProfile) {
    this.#profile = profile;
  }

  /**
   * Notes a report. Returns what takes it out of its slice; undefined where it stays, because the stream ends there.
   * @param total what all reports so far come to, which is what is charged
   */
  take(report: UsageReport, total: Usage | undefined): SlicePatch | undefined {
    const { slice, span, usage, patch } = report;
    if (usage === undefined) return patch;
    const isAlone = patch.start === span.start && patch.end === span.end;
    const isEnd = endsAt(slice, span.end);
    const mayBeLast = isAlone || isEnd || span.end === slice.length;
    const isFit = mayBeLast && (isAlone || this.#isEnding(report.event)) && isSame(usage, total);
    if (isFit && isEnd) {
      this.isSent = true;
      return undefined;
    }
    const event = isFit ? Buffer.from(slice.subarray(span.start, span.end)) : undefined;
    const own = isAlone ? undefined : this.#profile.ownUsage?.(report.event.json ?? {});
    if (isAlone || event === undefined) {
      this.#held = { usage, event, rest: nothing, own };
      return patch;
    }
    const parts = [slice.subarray(span.start, patch.start), patch.bytes, slice.subarray(patch.end, span.end)];
    this.#held = { usage, event, rest: Buffer.concat(parts), own };
    return { start: span.start, end: span.end, bytes: nothing };
  }

  /** An event that has its report where clients look for one, and ends a choice or says nothing more. */
  #isEnding(event: StreamEvent): boolean {
    const report = event.json?.usage;
    if (typeof report !== 'object' || report === null) return false;
    const { finish, text, toolCalls, hasMedia } = this.#profile.readEvent(event) ?? silentEvent;
    return finish !== 'none' || (text === '' && toolCalls === 0 && !hasMedia);
  }

  /** What goes before the next slice: the event that was held back, or what is left of it where more follows. */
  before(slice: Buffer): Buffer {
    if (this.#held?.event === undefined) return nothing;
    const { event, rest, own } = this.#held;
    if (endsAt(slice, 0)) {
      this.isSent = true;
      return event;
    }
    // A report that stood alone can still be shown as it is.
    if (own !== undefined) this.#held = { ...this.#held, event: undefined, rest: nothing };
    return rest;
  }

  /** The event that was held back, now that nothing follows; undefined where there is none. */
  ending(): Buffer | undefined {
    if (this.#held?.event === undefined || this.isSent) return undefined;
    this.isSent = true;
    return this.#held.event;
  }

  /** The last report as the upstream wrote it, where it says what is charged. */
  own(total: Usage | undefined): JsonObject | undefined {
    return this.#held !== undefined && isSame(this.#held.usage, total) ? this.#held.own : undefined;
  }
}

function endsAt(slice: Buffer, at: number): boolean {
  return endMark.test(slice.toString('latin1', at, at + END_MARK_REACH));
}

function isSame(one: Usage, other: Usage | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
