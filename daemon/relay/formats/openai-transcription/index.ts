/** OpenAI's transcripts towards clients, of vendors that are asked in other words (relay.md 5.8). */
import { AudioMeter } from '../../audio/audio-meter.ts';
import { type ClientCallFormat, jsonAnswer } from '../../call-format.ts';
import type { TranscriptionAnswer, TranscriptionRequest } from '../../canonical/transcription.ts';
import type { Json } from '../../json.ts';
import { asText, asWord, invalid, present, remainder } from '../fields.ts';
import { usageOfSeconds } from './usage.ts';

const known = new Set(['model', 'file', 'language', 'prompt', 'response_format', 'stream']);

function readFile(value: Json | undefined): TranscriptionRequest['audio'] {
  const inline = /^data:([^;,]+);base64,(.*)$/s.exec(asText(value) ?? '');
  if (inline === null) throw invalid('file', 'must be a file with sound');
  return { mediaType: inline[1] ?? '', data: inline[2] ?? '' };
}

export const openaiTranscription: ClientCallFormat<TranscriptionRequest, TranscriptionAnswer> = {
  id: 'openai-transcription',

  decodeRequest(body) {
    return present({
      model: asWord(body.model) ?? '',
      audio: readFile(body.file),
      language: asWord(body.language),
      prompt: asWord(body.prompt),
      // Events are made of the plain answer.
      form: body.stream === true ? 'json' : (asWord(body.response_format) ?? 'json'),
      unsaid: Object.keys(remainder(body, known)),
    });
  },

  encodeAnswer({ text, language, usage }, asked) {
    const meter = new AudioMeter('file');
    meter.push(Buffer.from(asked.audio.data, 'base64'));
    const audio = meter.facts();
    const facts = { usage: usage ?? usageOfSeconds(audio.seconds, audio.estimated ? 'estimated' : 'upstream'), audio };
    if (asked.form === 'text') {
      return { ...facts, body: Buffer.from(text), contentType: 'text/plain; charset=utf-8' };
    }
    if (asked.form !== 'verbose_json') return jsonAnswer({ text }, facts);
    const seconds = facts.usage.units.seconds ?? audio.seconds;
    return jsonAnswer({ task: 'transcribe', ...present({ language }), duration: seconds, text, segments: [] }, facts);
  },
};
