/**
 * Speech recognition at Hugging Face's own inference provider. Source: providers/huggingface.md and the schema of the
 * task in @huggingface/tasks, read 2026-11. No answer is recorded.
 */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { TimedText, TranscriptionAnswer, TranscriptionRequest } from '../../canonical/transcription.ts';
import type { JsonObject } from '../../json.ts';
import { asNumber, asObjects, asText, inexpressible } from '../fields.ts';
import { loseUnsaid } from '../openai-embeddings/index.ts';

const timedForms = new Set(['srt', 'vtt', 'verbose_json']);

function timed({ text, timestamp }: JsonObject): TimedText {
  const [begin, stop] = Array.isArray(timestamp) ? timestamp : [];
  const start = asNumber(begin) ?? 0;
  return { text: asText(text) ?? '', start, end: Math.max(start, asNumber(stop) ?? 0) };
}

export const huggingfaceTranscription: UpstreamCallFormat<TranscriptionRequest, TranscriptionAnswer> = {
  id: 'huggingface-transcription',

  encodeRequest(asked, scope) {
    // Whoever is named behind a colon takes bodies of its own making.
    if (/:(?!hf-inference$)/.test(asked.model)) throw inexpressible('model', 'only hf-inference hears files here');
    if (asked.task === 'translate') throw inexpressible('model', 'this channel does not translate');
    if (asked.form === 'diarized_json') throw inexpressible('response_format', 'this channel tells no speakers');
    loseUnsaid(asked, scope);
    if (asked.wordTimes) scope.lose('timestamp_granularities');
    if (asked.language !== undefined) scope.lose('language');
    if (asked.prompt !== undefined) scope.lose('prompt');
    const inputs = asked.audio.data;
    return { body: timedForms.has(asked.form) ? { inputs, parameters: { return_timestamps: true } } : { inputs } };
  },

  decodeAnswer(body) {
    const text = asText(body.text);
    if (text === undefined) return body.error === undefined ? { kind: 'empty' } : { kind: 'error', body };
    return { text: text.trim(), segments: asObjects(body.chunks).map(timed), usage: undefined };
  },
};
