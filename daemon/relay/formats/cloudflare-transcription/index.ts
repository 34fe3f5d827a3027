/**
 * Workers AI's transcripts by Whisper. Source: providers/cloudflare.md and the models' published schemas, read 2026-11.
 * No answer is recorded.
 */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { TimedText, TranscriptionAnswer, TranscriptionRequest } from '../../canonical/transcription.ts';
import type { JsonObject } from '../../json.ts';
import { asNumber, asObject, asObjects, asText, asWord, inexpressible, present } from '../fields.ts';
import { loseUnsaid } from '../openai-embeddings/index.ts';
import { usageOfSeconds } from '../openai-transcription/usage.ts';
import { sentencesOf } from '../spoken-words.ts';

/** The newest one is told what to do; those before take nothing but the file. */
function takesWords(model: string): boolean {
  return model.includes('-turbo');
}

function timed(entry: JsonObject): TimedText {
  const start = asNumber(entry.start) ?? 0;
  const text = asText(entry.text) ?? asText(entry.word) ?? '';
  return { text, start, end: Math.max(start, asNumber(entry.end) ?? 0) };
}

export const cloudflareTranscription: UpstreamCallFormat<TranscriptionRequest, TranscriptionAnswer> = {
  id: 'cloudflare-transcription',

  encodeRequest(asked, scope) {
    const { model, audio, language, prompt, task } = asked;
    if (asked.form === 'diarized_json') throw inexpressible('response_format', 'this channel tells no speakers');
    loseUnsaid(asked, scope);
    if (takesWords(model)) {
      return { body: { audio: audio.data, task, ...present({ language, initial_prompt: prompt }) } };
    }
    if (task === 'translate') throw inexpressible('model', 'this model does not translate');
    if (language !== undefined) scope.lose('language');
    if (prompt !== undefined) scope.lose('prompt');
    return { body: audio.data, encoding: 'bytes' };
  },

  decodeAnswer(body) {
    if (body.success === false) return { kind: 'error', body };
    const result = asObject(body.result);
    const text = asText(result?.text);
    // A silent file has an empty text.
    if (result === undefined || text === undefined) return { kind: 'empty' };
    const told = asObjects(result.segments);
    const words = [...told.flatMap((segment) => asObjects(segment.words)), ...asObjects(result.words)].map(timed);
    const info = asObject(result.transcription_info);
    const seconds = asNumber(info?.duration) ?? 0;
    return {
      text: text.trim(),
      segments: told.length === 0 ? sentencesOf(words) : told.map(timed),
      ...present({ language: asWord(info?.language), words: words.length === 0 ? undefined : words }),
      usage: seconds > 0 ? usageOfSeconds(seconds, 'upstream') : undefined,
    };
  },
};
