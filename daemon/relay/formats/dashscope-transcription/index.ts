/** Transcripts by Alibaba DashScope's Qwen models, which hear a file inside the request. Source: providers/ali.md and the vendor's reference, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { TranscriptionAnswer, TranscriptionRequest } from '../../canonical/transcription.ts';
import { asObject, asObjects, asText, asWord, inexpressible, present } from '../fields.ts';
import { loseUnsaid } from '../openai-embeddings/index.ts';
import { readTranscriptUsage } from '../openai-transcription/usage.ts';

/** Forms that need to know when each word was said. */
const timed = new Set(['srt', 'vtt', 'diarized_json']);

export const dashscopeTranscription: UpstreamCallFormat<TranscriptionRequest, TranscriptionAnswer> = {
  id: 'dashscope-transcription',

  encodeRequest(asked, scope) {
    const { model, audio, language, prompt, form } = asked;
    if (asked.wordTimes) scope.lose('timestamp_granularities');
    if (timed.has(form)) throw inexpressible('response_format', 'this channel tells no times');
    loseUnsaid(asked, scope);
    const context = [{ role: 'system', content: [{ text: prompt ?? '' }] }];
    const sound = { role: 'user', content: [{ audio: `data:${audio.mediaType};base64,${audio.data}` }] };
    return {
      body: {
        model,
        input: { messages: [...context, sound] },
        parameters: { asr_options: { enable_itn: false, ...present({ language }) } },
      },
    };
  },

  decodeAnswer(body) {
    const [choice] = asObjects(asObject(body.output)?.choices);
    const message = asObject(choice?.message);
    if (message === undefined) return asWord(body.code) === undefined ? { kind: 'empty' } : { kind: 'error', body };
    // A silent file has an empty text, or none.
    const text = asObjects(message.content)
      .map((part) => asText(part.text) ?? '')
      .join('');
    const language = asWord(asObjects(message.annotations)[0]?.language);
    return { ...present({ language }), text, usage: readTranscriptUsage(body.usage) };
  },
};
