/** What Alibaba DashScope's recognisers tell: sentences with times, and what was heard. Source: as of the formats that use this. */
import type { Segment, TimedText, Transcript } from '../canonical/transcription.ts';
import type { Usage } from '../canonical/usage.ts';
import type { Json, JsonObject } from '../json.ts';
import { asNumber, asObject, asObjects, asText, asWord, present } from './fields.ts';
import { readTranscriptUsage, usageOfSeconds } from './openai-transcription/usage.ts';

const LETTERS = 26;
/** More than a vendor tells apart. */
const MOST_SPEAKERS = 1000;

/** Seconds with most models, tokens with the newest; undefined where neither is told. */
export function readHeardUsage(value: Json | undefined): Usage | undefined {
  const usage = asObject(value);
  const seconds = asNumber(usage?.duration) ?? 0;
  return seconds > 0 ? usageOfSeconds(seconds, 'upstream') : readTranscriptUsage(usage);
}

/** All that was said, in the vendor's own words where it has them as a whole. */
export function transcriptOf(sentences: readonly JsonObject[], whole?: string): Transcript {
  const segments = sentences.map(segmentOf);
  const words = sentences.flatMap(({ words: list }) =>
    asObjects(list).map((word) => timed(word, (asText(word.text) ?? '') + mark(word))),
  );
  const language = asWord(sentences[0]?.language);
  const text = whole ?? joined(segments.map((segment) => segment.text));
  return present({ text, language, segments, words: words.length === 0 ? undefined : words });
}

function segmentOf(sentence: JsonObject): Segment {
  const speaker = asNumber(sentence.speaker_id);
  const segment = timed(sentence, asText(sentence.text) ?? '');
  return speaker === undefined ? segment : { ...segment, speaker: speakerName(speaker) };
}

/** Speakers are numbered here, and have letters at OpenAI: `A` to `Z`, then `AA`. */
function speakerName(index: number): string {
  const place = Math.min(Math.max(0, Math.trunc(index)), MOST_SPEAKERS);
  const letter = String.fromCharCode('A'.charCodeAt(0) + (place % LETTERS));
  return place < LETTERS ? letter : speakerName(Math.floor(place / LETTERS) - 1) + letter;
}

/** Some models repeat the word where others put what follows it. */
function mark({ text, punctuation }: JsonObject): string {
  return text === punctuation ? '' : (asText(punctuation) ?? '');
}

/** Milliseconds on the wire. */
function timed({ begin_time: begin, end_time: end }: JsonObject, text: string): TimedText {
  const start = (asNumber(begin) ?? 0) / 1000;
  return { text, start, end: Math.max(start, (asNumber(end) ?? 0) / 1000) };
}

/** Chinese runs on, most other scripts have a space between sentences. */
export function joined(sentences: readonly string[]): string {
  const pieces: string[] = [];
  let before = '';
  for (const sentence of sentences) {
    if (sentence === '') continue;
    // Only the sentence before is looked at: all of them would be gone through anew for each.
    const needsSpace =
      /[\p{L}\p{N}.,!?;:]$/u.test(before.slice(-2)) &&
      !/\p{Script=Han}$/u.test(before.slice(-2)) &&
      /^[\p{L}\p{N}]/u.test(sentence) &&
      !/^\p{Script=Han}/u.test(sentence);
    if (needsSpace) pieces.push(' ');
    pieces.push(sentence);
    before = sentence;
  }
  return pieces.join('');
}
