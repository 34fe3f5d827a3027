/** OpenAI's speech towards clients, and what a piece of speech costs (relay.md 5.7). */
import { TollgateError } from '../../../errors.ts';
import { AudioMeter } from '../../audio/audio-meter.ts';
import type { AudioFacts } from '../../audio/length.ts';
import { isSamples } from '../../audio/samples.ts';
import type { CallAnswer, ClientCallFormat } from '../../call-format.ts';
import type { SpeechAnswer, SpeechRequest } from '../../canonical/speech.ts';
import { emptyUsage, type Usage } from '../../canonical/usage.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asNumber, asObject, asText, asWord, invalid, present, remainder } from '../fields.ts';
import { audioTokens } from '../openai-transcription/usage.ts';

const known = new Set(['model', 'input', 'voice', 'response_format', 'speed', 'instructions', 'stream_format']);

/** True for models that are billed by the characters they read. */
function readsCharacters(model: string): boolean {
  return model.startsWith('tts');
}

/** Usage of speech that the upstream reports nothing about: its characters, or its text and the length of the sound. */
export function usageOfSpeech(asked: JsonObject, heard: AudioFacts, promptTokens: number): Usage {
  const text = asText(asked.input) ?? '';
  if (readsCharacters(asWord(asked.model) ?? '')) {
    const characters = [...text].length;
    return { ...emptyUsage(), prompt: characters, units: { characters } };
  }
  const completion = audioTokens(heard.seconds);
  return { ...emptyUsage('estimated'), prompt: promptTokens, completion, completionAudio: completion };
}

/** True for samples without a container, whose length only their number tells. */
export function isPcm(asked: JsonObject, mediaType: string): boolean {
  return asked.response_format === 'pcm' || isSamples(mediaType);
}

/** How long it plays. */
export function heardIn(bytes: Buffer, asked: JsonObject, mediaType: string): AudioFacts {
  const meter = new AudioMeter(isPcm(asked, mediaType) ? 'pcm' : 'file');
  meter.push(bytes);
  return meter.facts();
}

/** OpenAI's own voices are named, those of an account given as an object with their id; another would be billed as well. */
function readVoice(value: Json | undefined): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const voice = asWord(value) ?? asWord(asObject(value)?.id);
  if (voice === undefined) throw invalid('voice', 'must be a string');
  return voice;
}

export const openaiSpeech: ClientCallFormat<SpeechRequest, SpeechAnswer> = {
  id: 'openai-speech',

  decodeRequest(body) {
    return present({
      model: asWord(body.model) ?? '',
      input: asText(body.input) ?? '',
      voice: readVoice(body.voice),
      form: asWord(body.response_format),
      speed: asNumber(body.speed),
      instructions: asWord(body.instructions),
      unsaid: Object.keys(remainder(body, known)),
    });
  },

  encodeAnswer(said, asked, scope): CallAnswer {
    const { mediaType, usage } = said;
    const answer = (bytes: Buffer, contentType: string): CallAnswer => {
      const json = present({ model: asked.model, input: asked.input, response_format: asked.form });
      const audio = heardIn(bytes, json, contentType);
      const counted = usage ?? usageOfSpeech(json, audio, scope.promptTokens ?? 0);
      return { body: bytes, contentType, usage: counted, audio };
    };
    if ('bytes' in said) return answer(said.bytes, mediaType);
    const { address } = said;
    return {
      body: Buffer.alloc(0),
      contentType: mediaType,
      usage,
      files: [address],
      withFiles(files) {
        const file = files.get(address);
        // Nothing was said that the client could hear.
        if (file === undefined) throw new TollgateError('read_response_body_failed');
        // What a server calls its file is repeated only where it is sound: a browser might run anything else.
        const heardAs = file.mediaType.startsWith('audio/') ? file.mediaType : mediaType;
        return answer(Buffer.from(file.data, 'base64'), heardAs);
      },
    };
  },
};
