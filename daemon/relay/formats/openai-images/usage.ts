/** `usage` of OpenAI's image interface (relay.md 14.1). */
import { emptyUsage, tokenCount, type Usage } from '../../canonical/usage.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asObject } from '../fields.ts';

/** Undefined when the object is missing or names no tokens. */
export function readImageUsage(value: Json | undefined): Usage | undefined {
  const wire = asObject(value);
  const prompt = tokenCount(wire?.input_tokens ?? wire?.prompt_tokens);
  const completion = tokenCount(wire?.output_tokens ?? wire?.completion_tokens);
  if (prompt === 0 && completion === 0) return undefined;
  const input = asObject(wire?.input_tokens_details);
  const output = asObject(wire?.output_tokens_details);
  return {
    ...emptyUsage(),
    prompt,
    cached: tokenCount(input?.cached_tokens),
    promptImage: tokenCount(input?.image_tokens),
    completion,
    completionImage: output === undefined ? completion : tokenCount(output.image_tokens),
  };
}

/** The usage of so many images, whether the upstream counted tokens or not. */
export function usageOfImages(usage: Usage | undefined, images: number): Usage {
  return { ...(usage ?? emptyUsage()), units: { images } };
}

/** What a client is shown of it. */
export function encodeImageUsage(usage: Usage): JsonObject {
  const { prompt, promptImage, completion, completionImage } = usage;
  return {
    total_tokens: prompt + completion,
    input_tokens: prompt,
    output_tokens: completion,
    input_tokens_details: { text_tokens: Math.max(0, prompt - promptImage), image_tokens: promptImage },
    output_tokens_details: { text_tokens: Math.max(0, completion - completionImage), image_tokens: completionImage },
  };
}
