/** Mistral's speech, which comes inside JSON. Source: a recorded exchange, and docs.mistral.ai for its voices, 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { SpeechAnswer, SpeechRequest } from '../../canonical/speech.ts';
import { asWord, present } from '../fields.ts';
import { isForeignVoice } from '../foreign-voices.ts';
import { mediaTypeOf } from '../media-type.ts';
import { loseUnsaid } from '../openai-embeddings/index.ts';
import { readTranscriptUsage } from '../openai-transcription/usage.ts';

/** One that every model of theirs has. */
const defaultVoice = 'en_paul_neutral';

export const mistralSpeech: UpstreamCallFormat<SpeechRequest, SpeechAnswer> = {
  id: 'mistral-speech',

  encodeRequest(asked, scope) {
    loseUnsaid(asked, scope);
    if (asked.speed !== undefined) scope.lose('speed');
    if (asked.instructions !== undefined) scope.lose('instructions');
    const { model, input, voice, form } = asked;
    const isForeign = voice !== undefined && isForeignVoice(voice);
    if (isForeign) scope.lose('voice');
    return { body: present({ model, input, voice: isForeign ? defaultVoice : voice, response_format: form }) };
  },

  decodeAnswer(body, asked) {
    const bytes = Buffer.from(asWord(body.audio_data) ?? '', 'base64');
    if (bytes.length === 0) return { kind: 'empty' };
    const contentType = asked.form === 'pcm' ? 'audio/pcm' : 'audio/mpeg';
    return { bytes, mediaType: mediaTypeOf({ bytes, contentType, name: '' }), usage: readTranscriptUsage(body.usage) };
  },
};
