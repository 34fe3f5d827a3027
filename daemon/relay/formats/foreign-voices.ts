/** Voices by the names that OpenAI gave them: other vendors have none of these. */
const names: ReadonlySet<string> = new Set(
  'alloy ash ballad coral echo fable onyx nova sage shimmer verse marin cedar'.split(' '),
);

/** True for a voice of OpenAI's, which a client may name whoever speaks in the end. */
export function isForeignVoice(voice: string): boolean {
  return names.has(voice);
}
