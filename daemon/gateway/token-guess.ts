/** How many tokens a piece of a stream says, by a guess: to know is to read all of it, which costs more than passing it on. */

/** Events up to this size are taken for a few tokens in their wrapping, until so many have come that the last can be compared. */
const SPARSE_EVENT_BYTES = 600;
export const COMPARED_EVENTS = 8;
/** Of text, as a guess. */
const BYTES_PER_TOKEN = 4;
/** Of a few small events, whose words cannot be told from their wrapping. */
export const BYTES_PER_SPARSE_TOKEN = 64;
/** No model says so much in one event: it is a picture or a sound, whose megabyte comes to a few thousand tokens. */
const LARGEST_TEXT_BYTES = 16 * 1024;
const BYTES_PER_MEDIA_TOKEN = 256;
/** Where sound is told from words: before the sound itself, which is letters of base64 alone. */
const SOUND_OPENING_BYTES = 400;
const SOUND = /"audio" ?: ?\{|speech\.audio\.delta|"mime_?[tT]ype" ?: ?"audio\//;
const SAMPLED_BYTES = 128;
const BASE64 = /^[\w+/=-]*$/;
/** So little says few tokens, whatever it is. */
export const SMALL_BYTES = 1024;
const BLANK_LINE = Buffer.from('\n\n');
/** Of those who end lines as HTTP does: Gemini's. */
const BLANK_LINE_OF_RETURNS = Buffer.from('\r\n\r\n');
const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;

/** Undefined for small events as long as too few have come together to tell their words from their wrapping. */
export function guessBytesPerToken(bytes: Buffer): number | undefined {
  const ends = [0];
  const blankLine = blankLineOf(bytes);
  while (ends.length <= COMPARED_EVENTS) {
    const at = bytes.indexOf(blankLine, ends.at(-1));
    if (at < 0) break;
    ends.push(at + blankLine.length);
  }
  const events = ends.length - 1;
  if (events === 0 || (ends.at(-1) ?? 0) / events > SPARSE_EVENT_BYTES) return BYTES_PER_TOKEN;
  if (events < COMPARED_EVENTS) return undefined;
  const [first = 0, second = 0, third = 0, last = 0] = ends.slice(-4);
  const eventBytes = (last - second) / 2;
  if (eventBytes > SPARSE_EVENT_BYTES) return BYTES_PER_TOKEN;
  const words = differingBytes(bytes, [first, second, third]) + differingBytes(bytes, [second, third, last]);
  return eventBytes / Math.max(1, words / 2 / BYTES_PER_TOKEN);
}

/** Bytes of the value in which an event differs from the one before it; of one that says the same again, all. */
function differingBytes(bytes: Buffer, [before, start, end]: readonly [number, number, number]): number {
  let from = start;
  while (from < end && bytes[from] === bytes[before + from - start]) from += 1;
  // A model that repeats itself: what of it is words cannot be told, and too early a look does no harm.
  if (from === end) return end - start;
  let until = end;
  while (until > from && bytes[until - 1] === bytes[start - (end - until) - 1]) until -= 1;
  while (from > start && bytes[from - 1] !== QUOTE) from -= 1;
  while (until < end && bytes[until] !== QUOTE) until += 1;
  return until - from;
}

/** What a piece says, by a guess. `soundBytes`: of sound, for a token; undefined: sound is taken for what it looks like. */
export function guessTokens(
  events: Buffer,
  soundBytes?: number,
): { readonly tokens: number; readonly bytesPerToken: number } {
  const bytesPerToken = guessedBytes(events, soundBytes);
  return { tokens: events.length / bytesPerToken, bytesPerToken };
}

function guessedBytes(events: Buffer, soundBytes: number | undefined): number {
  if (soundBytes !== undefined && isSound(events, 0, endOfEvents(events, 0))) return soundBytes;
  return isMedia(events) ? BYTES_PER_MEDIA_TOKEN : (guessBytesPerToken(events) ?? BYTES_PER_SPARSE_TOKEN);
}

function isSound(events: Buffer, start: number, end: number): boolean {
  if (end - start <= SPARSE_EVENT_BYTES) return false;
  if (!SOUND.test(events.toString('latin1', start, start + SOUND_OPENING_BYTES))) return false;
  const middle = start + Math.floor((end - start) / 2);
  return BASE64.test(events.toString('latin1', middle, middle + SAMPLED_BYTES));
}

function isMedia(events: Buffer): boolean {
  if (events.length <= LARGEST_TEXT_BYTES) return false;
  const end = events.indexOf(blankLineOf(events));
  return end < 0 || end > LARGEST_TEXT_BYTES;
}

/**
 * As `guessTokens`, event by event, since one among small ones may be large (arguments of a tool behind a few words): what
 * it is longer than those before it is text. `end`: behind the last event within so many tokens.
 */
export function guessEachEvent(events: Buffer, soundBytes: number, most = Number.POSITIVE_INFINITY) {
  const { bytesPerToken } = guessTokens(events);
  const blankLine = blankLineOf(events);
  let [end, tokens, seen] = [0, 0, 0];
  while (end < events.length) {
    const at = events.indexOf(blankLine, end);
    const next = at < 0 ? events.length : at + blankLine.length;
    const usual = seen === 0 ? SPARSE_EVENT_BYTES : end / seen;
    const bytes = next - end;
    let said = Math.max(bytes / bytesPerToken, (bytes - usual) / BYTES_PER_TOKEN);
    if (isSound(events, end, next)) said = bytes / soundBytes;
    else if (bytes > LARGEST_TEXT_BYTES) said = bytes / BYTES_PER_MEDIA_TOKEN;
    if (tokens + said > most) break;
    tokens += said;
    end = next;
    seen += 1;
  }
  return { tokens, end };
}

/** Where the events end that lie before `bytes`: behind one at least. */
export function endOfEvents(events: Buffer, bytes: number): number {
  if (bytes >= events.length) return events.length;
  const blankLine = blankLineOf(events);
  const last = bytes < blankLine.length ? -1 : events.lastIndexOf(blankLine, bytes - blankLine.length);
  const at = last < 0 ? events.indexOf(blankLine, Math.max(0, bytes)) : last;
  return at < 0 ? events.length : at + blankLine.length;
}

/** By the end of the first line; a line feed that comes first may be the rest of one that was cut. */
function blankLineOf(events: Buffer): Buffer {
  const feed = events.indexOf(LINE_FEED, 1);
  return feed > 0 && events[feed - 1] === RETURN ? BLANK_LINE_OF_RETURNS : BLANK_LINE;
}
