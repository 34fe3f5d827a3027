/**
 * Counts what a native stream delivered. The last bytes are kept unread, because most streams end with a usage report
 * and then nobody has to read them; what grows older is counted and forgotten, so that a stream costs a fixed amount
 * of memory however long it runs.
 */
import type { CountedOutput } from './canonical/usage.ts';
import { eventAround, eventsIn, MAX_READ_EVENT_BYTES, StreamEvent } from './native-events.ts';
import type { BreakRecord, StreamProfile } from './native-profile.ts';
import type { ItemNames } from './stored-answer.ts';
import { estimateText, TextMeter, TOKENS_PER_TOOL_CALL, type TokenFamily } from './tokens/estimate.ts';
import { SoundMeter } from './tokens/sound-meter.ts';

/** Streams up to this length are not read at all where they report usage. */
const MAX_KEPT_BYTES = 64 * 1024;
/** A longer one is read as it goes on, but for its last bytes: keeping more of it would spare it little. */
const MAX_KEPT_OF_LONG_BYTES = 16 * 1024;
const KEPT_AFTER_FOLD_BYTES = 4 * 1024;

const quote = 0x22;

/** Of one answer; more are not noted. */
const MAX_ITEMS = 1000;

/** Tells of the answer's end, once somebody has read that far. */
export type SeenFinish = 'none' | 'natural' | 'cut';

export class StreamTap {
  readonly #profile: StreamProfile;
  readonly #family: TokenFamily;
  readonly #meter: TextMeter;
  readonly #record: BreakRecord;
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #mostKept = MAX_KEPT_BYTES;
  #toolCalls = 0;
  #images = 0;
  /** Undefined while nothing is heard. */
  #sound: SoundMeter | undefined;
  /** Tokens of words in events that are too large to be read. */
  #guessed = 0;
  #finish: SeenFinish = 'none';
  #sawLast = false;
  /** Of items in what was read; those of what is kept are looked up when they are asked for. */
  #items: ItemNames[] | undefined;

  constructor(profile: StreamProfile, family: TokenFamily) {
    this.#profile = profile;
    this.#family = family;
    this.#meter = new TextMeter(family);
    this.#record = profile.record();
  }

  /** Notes a slice of whole events. The bytes must not change afterwards. */
  keep(slice: Buffer): void {
    // What came last may have been the end; only a stream that goes on has to be read.
    if (this.#keptBytes > this.#mostKept) {
      this.#fold(KEPT_AFTER_FOLD_BYTES);
      this.#mostKept = MAX_KEPT_OF_LONG_BYTES;
    }
    this.#kept.push(slice);
    this.#keptBytes += slice.length;
  }

  /** The output so far, each image of so many tokens; reads what was not read yet. */
  counted(perImage: number): CountedOutput {
    this.#fold(0);
    const words = this.#meter.tokens + Math.ceil(this.#guessed);
    const heard = this.#sound?.tokens ?? 0;
    const completion = words + this.#toolCalls * TOKENS_PER_TOOL_CALL + this.#images * perImage + heard;
    return { completion, completionAudio: heard };
  }

  /** How the answer ended, as far as the stream said. */
  finish(): SeenFinish {
    if (this.#finish === 'none' && !this.#showsFinish()) this.#fold(0);
    return this.#finish === 'none' && this.#showsFinish() ? 'natural' : this.#finish;
  }

  /** Whether the event came that ends every stream of the protocol. */
  sawLast(): boolean {
    if (this.#showsFinish()) return true;
    this.#fold(0);
    return this.#sawLast;
  }

  /** True when the answer was cut by a limit or a filter; reads what was not read yet. */
  wasCut(): boolean {
    this.#fold(0);
    return this.#finish === 'cut';
  }

  /** What the protocol needs to end a stream that broke. */
  record(): BreakRecord {
    this.#fold(0);
    return this.#record;
  }

  /** Names of what has begun and can be referred to later, as far as their number is bounded. */
  items(): readonly ItemNames[] {
    return [...(this.#items ?? []), ...this.#kept.flatMap((slice) => this.#itemsIn(slice))].slice(0, MAX_ITEMS);
  }

  #itemsIn(slice: Buffer): ItemNames[] {
    const { items } = this.#profile;
    const names: ItemNames[] = [];
    if (items === undefined) return names;
    for (let at = slice.indexOf(items.bytes); at >= 0 && names.length < MAX_ITEMS; ) {
      const span = eventAround(slice, at);
      for (const name of items.read(new StreamEvent(slice, span)).slice(0, MAX_ITEMS)) names.push(name);
      at = slice.indexOf(items.bytes, span.end);
    }
    return names;
  }

  /** Looks for the last event in its usual spelling, newest bytes first. */
  #showsFinish(): boolean {
    for (let index = this.#kept.length - 1; index >= 0; index -= 1) {
      const slice = this.#kept[index];
      if (slice && this.#profile.finishMarks.some((mark) => showsMark(slice, mark))) return true;
    }
    return false;
  }

  #fold(untilBytes: number): void {
    let count = 0;
    while (this.#keptBytes > untilBytes) {
      const slice = this.#kept[count];
      if (slice === undefined) break;
      this.#read(slice);
      this.#keptBytes -= slice.length;
      count += 1;
    }
    this.#kept.splice(0, count);
  }

  #read(slice: Buffer): void {
    if (this.#profile.items !== undefined && (this.#items?.length ?? 0) < MAX_ITEMS) {
      const names = this.#itemsIn(slice);
      if (names.length > 0) this.#items = [...(this.#items ?? []), ...names];
    }
    for (const span of eventsIn(slice)) {
      const event = new StreamEvent(slice, span);
      const bytes = span.end - span.start;
      if (bytes > MAX_READ_EVENT_BYTES) {
        this.#readLarge(event, bytes);
        continue;
      }
      const facts = this.#profile.readEvent(event);
      if (facts === undefined) continue;
      if (facts.text !== '') this.#meter.add(facts.text);
      this.#toolCalls += facts.toolCalls;
      if (facts.images !== undefined) this.#images += facts.images;
      for (const piece of facts.sounds ?? []) this.#heard.add(piece);
      if (facts.finish !== 'none' && this.#finish !== 'cut') this.#finish = facts.finish;
      if (facts.isLast === true) this.#sawLast = true;
      this.#record.add(event);
    }
  }

  get #heard(): SoundMeter {
    this.#sound ??= new SoundMeter();
    return this.#sound;
  }

  /** Most that are large bring a picture or sound; of words too many to be read the first ones tell what the rest counts. */
  #readLarge(event: StreamEvent, bytes: number): void {
    const facts = this.#profile.readEvent(event);
    const [sound] = facts?.sounds ?? [];
    if (sound !== undefined) this.#heard.addUnread(bytes, sound.mediaType);
    else if (facts === undefined || facts.hasMedia || facts.text === '')
      this.#images += Math.max(1, facts?.images ?? 1);
    else {
      const shown = estimateText(this.#family, facts.text);
      const cut = bytes - Buffer.byteLength(event.payload);
      this.#guessed += shown * (1 + cut / writtenBytes(facts.text, event.payload));
    }
    this.#toolCalls += facts?.toolCalls ?? 0;
    if (facts !== undefined && facts.finish !== 'none' && this.#finish !== 'cut') this.#finish = facts.finish;
    this.#record.addLarge?.(event);
  }
}

/** Bytes that a text takes in the JSON around it, whose server may write all but ASCII as escapes. */
function writtenBytes(text: string, payload: string): number {
  const written = JSON.stringify(text);
  const foreign = /\\u[0-9a-f]{4}/i.test(payload) ? (written.match(/[\u0080-\uffff]/g)?.length ?? 0) : 0;
  return foreign === 0 ? Buffer.byteLength(written) : written.length + 5 * foreign;
}

/**
 * Whether the last mark of a slice opens a word. Some hosts send an empty `finish_reason` with every event, which ends
 * nothing: then only the parsed events tell.
 */
function showsMark(slice: Buffer, mark: string): boolean {
  const at = slice.lastIndexOf(mark, undefined, 'latin1');
  return at >= 0 && slice[at + mark.length] !== quote;
}
