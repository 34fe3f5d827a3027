/**
 * The words of the two vendors for how urgently a request is served. The canonical shape has OpenAI's. Whether a client's
 * wish goes on at all is for the channel's owner to say, who pays for it.
 */
import { entryOf } from './fields.ts';

/** What a Messages request may ask for: the ordinary tier alone, or the best that the account has. */
const wishes: Readonly<Record<string, string>> = { standard_only: 'default' };
/** What a Messages answer says it was served by. */
const served: Readonly<Record<string, string>> = { standard: 'default' };

/** OpenAI's word for a tier. */
export function openAiTier(word: string): string {
  return entryOf(wishes, word) ?? entryOf(served, word) ?? word;
}

/** Anthropic's word for the tier that a request asks for; undefined where it has none. */
export function anthropicWish(tier: string): string | undefined {
  if (tier === 'auto') return 'auto';
  return tier === 'default' || tier === 'standard_only' ? 'standard_only' : undefined;
}

/** Anthropic's word for the tier that served an answer; undefined where it has none. */
export function anthropicTier(tier: string): string | undefined {
  if (tier === 'default' || tier === 'standard') return 'standard';
  return tier === 'priority' || tier === 'batch' ? tier : undefined;
}
