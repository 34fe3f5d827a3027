/** Speech by Gemini's models that answer with sound. Source: providers/gemini.md, read 2026-11. */
import { fileOfSamples } from '../../audio/wav-file.ts';
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { SpeechAnswer, SpeechRequest } from '../../canonical/speech.ts';
import { asObject, asObjects, asWord } from '../fields.ts';
import { isForeignVoice } from '../foreign-voices.ts';
import { findGeminiUsage } from '../gemini-generate/usage.ts';
import { filteredBy } from '../gemini-generate/wire.ts';
import { loseUnsaid } from '../openai-embeddings/index.ts';
import { errorOf } from '../vendor-chat.ts';

const defaultVoice = 'Kore';

export const geminiSpeech: UpstreamCallFormat<SpeechRequest, SpeechAnswer> = {
  id: 'gemini-speech',

  encodeRequest(asked, scope) {
    loseUnsaid(asked, scope);
    if (asked.speed !== undefined) scope.lose('speed');
    if (asked.form !== undefined && asked.form !== 'wav' && asked.form !== 'pcm') scope.lose('response_format');
    const isForeign = asked.voice !== undefined && isForeignVoice(asked.voice);
    if (isForeign) scope.lose('voice');
    const voiceName = asked.voice === undefined || isForeign ? defaultVoice : asked.voice;
    const text = asked.instructions === undefined ? asked.input : `${asked.instructions}: ${asked.input}`;
    return {
      body: {
        contents: [{ role: 'user', parts: [{ text }] }],
        generationConfig: {
          responseModalities: ['AUDIO'],
          speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName } } },
        },
      },
    };
  },

  decodeAnswer(body, asked) {
    const parts = asObjects(body.candidates).flatMap((candidate) => asObjects(asObject(candidate.content)?.parts));
    const sounds = parts.map((part) => asObject(part.inlineData)).filter((sound) => sound !== undefined);
    const bytes = Buffer.concat(sounds.map((sound) => Buffer.from(asWord(sound.data) ?? '', 'base64')));
    const usage = findGeminiUsage(body);
    if (bytes.length === 0) {
      const filter = filteredBy(body);
      if (filter !== undefined) {
        return { kind: 'error', body: errorOf('content_filter', `the speech was filtered: ${filter}`, 400), usage };
      }
      const isRefused = asObject(body.promptFeedback)?.blockReason !== undefined || body.error !== undefined;
      return isRefused ? { kind: 'error', body, usage } : { kind: 'empty', usage };
    }
    const told = asWord(sounds[0]?.mimeType) ?? '';
    const file = fileOfSamples(bytes, told);
    if (file === undefined) return { bytes, mediaType: told || 'audio/wav', usage };
    if (asked.form === 'pcm') return { bytes, mediaType: 'audio/pcm', usage };
    return { bytes: file, mediaType: 'audio/wav', usage };
  },
};
