/** The effort of thought that a request asks for in so many words, whichever dialect it is in (relay.md 16.2). */
import { asObject, asOneOf, asText } from './formats/fields.ts';
import { efforts } from './formats/openai-chat/wire.ts';
import type { JsonObject } from './json.ts';

/** Undefined where the body names none, or a word that no dialect knows. */
export function askedEffort(body: JsonObject): string | undefined {
  const { generationConfig, output_config: config, reasoning, reasoning_effort: effort } = body;
  const level = asText(asObject(asObject(generationConfig)?.thinkingConfig)?.thinkingLevel)?.toLowerCase();
  return (
    asOneOf(effort, efforts) ??
    asOneOf(asObject(reasoning)?.effort, efforts) ??
    asOneOf(asObject(config)?.effort, efforts) ??
    asOneOf(level, efforts)
  );
}
