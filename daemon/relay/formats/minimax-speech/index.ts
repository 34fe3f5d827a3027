/** MiniMax's speech, which comes in hexadecimal. Source: providers/minimax.md, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { SpeechAnswer, SpeechRequest } from '../../canonical/speech.ts';
import { emptyUsage, tokenCount } from '../../canonical/usage.ts';
import { asObject, asWord, present } from '../fields.ts';
import { isForeignVoice } from '../foreign-voices.ts';
import { loseUnsaid } from '../openai-embeddings/index.ts';

const forms: Readonly<Record<string, string>> = { mp3: 'mp3', pcm: 'pcm', flac: 'flac', wav: 'wav' };
const mediaTypes: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  pcm: 'audio/pcm',
  flac: 'audio/flac',
  wav: 'audio/wav',
};
const defaultVoice = 'male-qn-qingse';

export const minimaxSpeech: UpstreamCallFormat<SpeechRequest, SpeechAnswer> = {
  id: 'minimax-speech',

  encodeRequest(asked, scope) {
    loseUnsaid(asked, scope);
    if (asked.instructions !== undefined) scope.lose('instructions');
    const isForeign = asked.voice !== undefined && isForeignVoice(asked.voice);
    if (isForeign) scope.lose('voice');
    const voice = asked.voice === undefined || isForeign ? defaultVoice : asked.voice;
    const form = forms[asked.form ?? 'mp3'];
    if (form === undefined) scope.lose('response_format');
    const speed = asked.speed === undefined ? undefined : Math.min(2, Math.max(0.5, asked.speed));
    return {
      body: {
        model: asked.model,
        text: asked.input,
        stream: false,
        voice_setting: { voice_id: voice, ...present({ speed }) },
        // Samples at the rate that clients of `pcm` expect.
        audio_setting: { format: form ?? 'mp3', ...(form === 'pcm' ? { sample_rate: 24_000, channel: 1 } : {}) },
        output_format: 'hex',
      },
    };
  },

  decodeAnswer(body, asked) {
    // Refusals come as successes with a code.
    const code = asObject(body.base_resp)?.status_code;
    if (typeof code === 'number' && code !== 0) return { kind: 'error', body };
    const hex = asWord(asObject(body.data)?.audio);
    if (hex === undefined || !/^(?:[0-9a-f]{2})+$/i.test(hex)) return { kind: 'empty' };
    const info = asObject(body.extra_info);
    const form = asWord(info?.audio_format) ?? forms[asked.form ?? 'mp3'] ?? 'mp3';
    const characters = tokenCount(info?.usage_characters);
    return {
      bytes: Buffer.from(hex, 'hex'),
      mediaType: mediaTypes[form] ?? 'audio/mpeg',
      usage: characters === 0 ? undefined : { ...emptyUsage(), prompt: characters, units: { characters } },
    };
  },
};
