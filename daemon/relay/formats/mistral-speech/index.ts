/** Mistral's speech, which comes inside JSON. Source: a recorded exchange, 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { SpeechAnswer, SpeechRequest } from '../../canonical/speech.ts';
import { asWord, present } from '../fields.ts';
import { mediaTypeOf } from '../media-type.ts';
import { loseUnsaid } from '../openai-embeddings/index.ts';
import { readTranscriptUsage } from '../openai-transcription/usage.ts';

export const mistralSpeech: UpstreamCallFormat<SpeechRequest, SpeechAnswer> = {
  id: 'mistral-speech',

  encodeRequest(asked, scope) {
    loseUnsaid(asked, scope);
    if (asked.speed !== undefined) scope.lose('speed');
    if (asked.instructions !== undefined) scope.lose('instructions');
    const { model, input, voice, form } = asked;
    return { body: present({ model, input, voice, response_format: form }) };
  },

  decodeAnswer(body, asked) {
    const bytes = Buffer.from(asWord(body.audio_data) ?? '', 'base64');
    if (bytes.length === 0) return { kind: 'empty' };
    const contentType = asked.form === 'pcm' ? 'audio/pcm' : 'audio/mpeg';
    return { bytes, mediaType: mediaTypeOf({ bytes, contentType, name: '' }), usage: readTranscriptUsage(body.usage) };
  },
};
