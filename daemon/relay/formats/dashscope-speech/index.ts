/** Speech of Alibaba DashScope's Qwen models, which lies at an address. Source: providers/ali.md and the vendor's reference, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { SpeechAnswer, SpeechRequest } from '../../canonical/speech.ts';
import { emptyUsage, tokenCount, type Usage } from '../../canonical/usage.ts';
import type { Json } from '../../json.ts';
import { asObject, asWord, present } from '../fields.ts';
import { isForeignVoice } from '../foreign-voices.ts';
import { loseUnsaid } from '../openai-embeddings/index.ts';

const defaultVoice = 'Cherry';
/** The one form in which these models speak when they speak at once. */
const mediaType = 'audio/wav';

export const dashscopeSpeech: UpstreamCallFormat<SpeechRequest, SpeechAnswer> = {
  id: 'dashscope-speech',

  encodeRequest(asked, scope) {
    const { model, input: text, voice, instructions } = asked;
    loseUnsaid(asked, scope);
    if (asked.speed !== undefined) scope.lose('speed');
    if (asked.form !== undefined && asked.form !== 'wav') scope.lose('response_format');
    const isForeign = voice !== undefined && isForeignVoice(voice);
    if (isForeign) scope.lose('voice');
    const follows = model.includes('-instruct');
    if (instructions !== undefined && !follows) scope.lose('instructions');
    const spoken = voice === undefined || isForeign ? defaultVoice : voice;
    const input = { text, voice: spoken, ...(follows ? present({ instructions }) : {}) };
    return { body: { model, input } };
  },

  decodeAnswer(body) {
    const audio = asObject(asObject(body.output)?.audio);
    const usage = readSpokenUsage(body.usage);
    const address = asWord(audio?.url);
    if (address !== undefined) return { address, mediaType, usage };
    const bytes = Buffer.from(asWord(audio?.data) ?? '', 'base64');
    if (bytes.length > 0) return { bytes, mediaType, usage };
    return asWord(body.code) === undefined ? { kind: 'empty' } : { kind: 'error', body };
  },
};

/** Characters with most models, tokens with the oldest and the newest; undefined where neither is told. */
export function readSpokenUsage(value: Json | undefined): Usage | undefined {
  const wire = asObject(value);
  const characters = tokenCount(wire?.characters);
  if (characters > 0) return { ...emptyUsage(), prompt: characters, units: { characters } };
  const prompt = tokenCount(wire?.input_tokens);
  const completion = tokenCount(wire?.output_tokens);
  if (prompt === 0 && completion === 0) return undefined;
  const details = asObject(wire?.output_tokens_details);
  return { ...emptyUsage(), prompt, completion, completionAudio: tokenCount(details?.audio_tokens) };
}
