/**
 * Workers AI's speech: MeloTTS answers with base64, Deepgram's Aura with the file. Source: providers/cloudflare.md and
 * the models' published schemas, read 2026-11. No answer is recorded.
 */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { SpeechAnswer, SpeechRequest } from '../../canonical/speech.ts';
import type { Scope } from '../../format.ts';
import type { JsonObject } from '../../json.ts';
import { asObject, asWord, present } from '../fields.ts';
import { isForeignVoice } from '../foreign-voices.ts';
import { loseUnsaid } from '../openai-embeddings/index.ts';
import { readSpokenFile, spokenFile } from '../spoken-file.ts';

/** How Aura is asked for each form. */
const encodings: Readonly<Record<string, JsonObject>> = {
  mp3: { encoding: 'mp3' },
  aac: { encoding: 'aac' },
  flac: { encoding: 'flac' },
  opus: { encoding: 'opus', container: 'ogg' },
  wav: { encoding: 'linear16', container: 'wav' },
  // Samples at the rate that clients of `pcm` expect.
  pcm: { encoding: 'linear16', container: 'none', sample_rate: 24_000 },
};

function isAura(model: string): boolean {
  return /\/aura-/.test(model);
}

function auraBody({ input, voice, form = 'mp3' }: SpeechRequest, scope: Scope): JsonObject {
  const encoding = encodings[form];
  if (encoding === undefined) scope.lose('response_format');
  return { text: input, ...present({ speaker: voice }), ...(encoding ?? { encoding: 'mp3' }) };
}

/** Its voices are languages, and it knows one form. */
function meloBody({ input, voice, form = 'mp3' }: SpeechRequest, scope: Scope): JsonObject {
  const lang = voice !== undefined && /^[a-z]{2}$/i.test(voice) ? voice.toLowerCase() : undefined;
  if (voice !== undefined && lang === undefined) scope.lose('voice');
  if (form !== 'mp3') scope.lose('response_format');
  return { prompt: input, ...present({ lang }) };
}

export const cloudflareSpeech: UpstreamCallFormat<SpeechRequest, SpeechAnswer> = {
  id: 'cloudflare-speech',

  encodeRequest(asked, scope) {
    loseUnsaid(asked, scope);
    if (asked.speed !== undefined) scope.lose('speed');
    if (asked.instructions !== undefined) scope.lose('instructions');
    const isForeign = asked.voice !== undefined && isForeignVoice(asked.voice);
    if (isForeign) scope.lose('voice');
    const { voice, ...rest } = asked;
    const known = isForeign || voice === undefined ? rest : { ...rest, voice };
    return { body: isAura(asked.model) ? auraBody(known, scope) : meloBody(known, scope) };
  },

  decodeReply(reply, asked) {
    const file = readSpokenFile(reply, asked);
    return file && { ...file, usage: undefined };
  },

  decodeAnswer(body) {
    if (body.success === false) return { kind: 'error', body };
    const bytes = Buffer.from(asWord(asObject(body.result)?.audio) ?? '', 'base64');
    return bytes.length === 0 ? { kind: 'empty' } : { ...spokenFile(bytes, 'audio/mpeg'), usage: undefined };
  },
};
