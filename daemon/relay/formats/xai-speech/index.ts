/**
 * xAI's speech: one model without a name, which answers with the file. Source: the vendor's reference of its voice API
 * and its page on text to speech, read 2026-11. No answer is recorded.
 */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { SpeechAnswer, SpeechRequest } from '../../canonical/speech.ts';
import { emptyUsage } from '../../canonical/usage.ts';
import type { JsonObject } from '../../json.ts';
import { present } from '../fields.ts';
import { isForeignVoice } from '../foreign-voices.ts';
import { loseUnsaid } from '../openai-embeddings/index.ts';
import { readSpokenFile } from '../spoken-file.ts';

/** How each form is asked for. Samples come at the rate that clients of `pcm` expect. */
const codecs: Readonly<Record<string, JsonObject>> = {
  mp3: { codec: 'mp3' },
  wav: { codec: 'wav' },
  pcm: { codec: 'pcm', sample_rate: 24_000 },
};
const speeds = { least: 0.7, most: 1.5 };

export const xaiSpeech: UpstreamCallFormat<SpeechRequest, SpeechAnswer> = {
  id: 'xai-speech',

  encodeRequest(asked, scope) {
    loseUnsaid(asked, scope);
    if (asked.instructions !== undefined) scope.lose('instructions');
    const codec = codecs[asked.form ?? 'mp3'];
    if (codec === undefined) scope.lose('response_format');
    const isForeign = asked.voice !== undefined && isForeignVoice(asked.voice);
    if (isForeign) scope.lose('voice');
    const speed = asked.speed === undefined ? undefined : Math.min(speeds.most, Math.max(speeds.least, asked.speed));
    return {
      body: {
        text: asked.input,
        // Clients name no language.
        language: 'auto',
        ...present({ voice_id: isForeign ? undefined : asked.voice, speed }),
        output_format: codec ?? { codec: 'mp3' },
      },
    };
  },

  decodeReply(reply, asked) {
    const file = readSpokenFile(reply, asked);
    if (file === undefined) return undefined;
    // The vendor bills what it read and reports nothing.
    const characters = [...asked.input].length;
    return { ...file, usage: { ...emptyUsage(), prompt: characters, units: { characters } } };
  },

  decodeAnswer(body) {
    return body.error === undefined ? { kind: 'empty' } : { kind: 'error', body };
  },
};
