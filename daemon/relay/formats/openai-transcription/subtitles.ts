/** Transcripts as plain text: their words, and subtitles in the two forms that OpenAI gives them. */
import type { CallAnswer } from '../../call-format.ts';
import type { TimedText, Transcript } from '../../canonical/transcription.ts';

/** What a transcript in words is called: what an upstream calls its text might be something that a browser runs. */
export function textType(form: string | undefined): string {
  return form === 'vtt' ? 'text/vtt; charset=utf-8' : 'text/plain; charset=utf-8';
}

/**
 * A transcript in a form that is no JSON; undefined for one that is.
 * @param seconds how long the recording plays
 */
export function plainTranscript(
  form: string | undefined,
  { text, segments = [] }: Transcript,
  seconds: number,
): Pick<CallAnswer, 'body' | 'contentType'> | undefined {
  const plain = (body: string) => ({ body: Buffer.from(body), contentType: textType(form) });
  if (form === 'text') return plain(text);
  // Subtitles are all that the client sees: words whose times nobody told are shown all along.
  const cues = segments.length === 0 && text.trim() !== '' ? [{ text, start: 0, end: seconds }] : segments;
  if (form === 'srt') return plain(srtOf(cues));
  return form === 'vtt' ? plain(vttOf(cues)) : undefined;
}

/** SubRip. */
export function srtOf(segments: readonly TimedText[]): string {
  const cues = segments.map((segment, at) => `${at + 1}\n${spanOf(segment, ',')}\n${lineOf(segment)}\n\n`);
  return cues.join('');
}

/** WebVTT. */
function vttOf(segments: readonly TimedText[]): string {
  const cues = segments.map((segment) => `${spanOf(segment, '.')}\n${lineOf(segment)}\n\n`);
  return `WEBVTT\n\n${cues.join('')}`;
}

function spanOf({ start, end }: TimedText, point: ',' | '.'): string {
  return `${clock(start, point)} --> ${clock(end, point)}`;
}

/** An empty line would end the cue, an arrow would begin another. */
function lineOf({ text }: TimedText): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')
    .replaceAll('-->', '->');
}

function clock(seconds: number, point: ',' | '.'): string {
  const milliseconds = Math.max(0, Math.round(seconds * 1000));
  const digits = (value: number, length: number) => String(Math.floor(value)).padStart(length, '0');
  const minutes = milliseconds / 60_000;
  const time = `${digits(minutes / 60, 2)}:${digits(minutes % 60, 2)}:${digits((milliseconds / 1000) % 60, 2)}`;
  return `${time}${point}${digits(milliseconds % 1000, 3)}`;
}
