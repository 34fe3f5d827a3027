/** Which of its interfaces for sound a model has: its family tells. Source: providers/ali.md and the vendor's list of models, read 2026-11. */
import type { FormatId } from '../../format.ts';

/** Families in the order in which they are tried; undefined for sessions that are no call, and not OpenAI's either. */
const families: readonly (readonly [model: RegExp, format: FormatId | undefined])[] = [
  [/^qwen.*-(?:omni|livetranslate).*-realtime|^qwen-audio-[\d.]+-realtime/, 'openai-realtime'],
  [/^qwen.*-tts.*-realtime/, 'dashscope-speech-session'],
  [/^qwen.*-asr.*-realtime/, 'dashscope-transcription-session'],
  [/^qwen.*-realtime/, undefined],
  [/^cosyvoice|^sambert|^qwen-audio-.*-tts/, 'dashscope-speech-socket'],
  [/^qwen.*-tts/, 'dashscope-speech'],
  [/^gummy|^paraformer-realtime|^fun-asr.*-realtime|-asr-.*-(?:message|streaming)/, 'dashscope-recognition'],
  [/^paraformer|^sensevoice|^fun-asr(?!-flash)|-filetrans/, 'dashscope-recordings'],
  [/-asr/, 'dashscope-transcription'],
];

/** Those of which a model has one at most. */
export const soundFormats: ReadonlySet<FormatId> = new Set(families.flatMap(([, format]) => format ?? []));

/** The one interface for sound that a model has; undefined for models that neither speak nor listen, or not by call. */
export function soundFormatOf(model: string): FormatId | undefined {
  return families.find(([pattern]) => pattern.test(model))?.[1];
}
