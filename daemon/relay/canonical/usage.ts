/**
 * What one answer consumed, in the one shape that pricing reads (relay.md 14.1).
 * Inclusive semantics: `prompt` contains everything that was read, cached and written parts too.
 * All token fields are non-negative integers, saturated at `MAX_TOKENS`.
 */
export const MAX_TOKENS = 2_147_483_647;

export interface ToolCounts {
  web_search?: number;
  web_search_preview?: number;
  file_search?: number;
  google_search?: number;
  claude_web_search?: number;
  code_interpreter?: number;
  image_generation?: number;
}

export interface UsageUnits {
  images?: number;
  characters?: number;
  seconds?: number;
  searchUnits?: number;
}

export interface Usage {
  /** All input: fresh + cached + cache creation (+ audio, image, tool results). */
  prompt: number;
  /** Read from a cache; part of `prompt`. */
  cached: number;
  /** Written to a cache with 5 minutes' or unspecified life; part of `prompt`. */
  cacheCreation5m: number;
  /** Written to a cache with one hour's life; part of `prompt`. */
  cacheCreation1h: number;
  /** Fresh audio input; part of `prompt`. */
  promptAudio: number;
  /** Fresh image input; part of `prompt`. */
  promptImage: number;
  /** All output including reasoning. */
  completion: number;
  /** Reasoning; part of `completion`. */
  reasoning: number;
  completionAudio: number;
  completionImage: number;
  units: UsageUnits;
  tools: ToolCounts;
  /** `mixed`: some fields were estimated. */
  source: 'upstream' | 'mixed' | 'estimated';
}

/** A usage of nothing, to be filled. */
export function emptyUsage(source: Usage['source'] = 'upstream'): Usage {
  return {
    prompt: 0,
    cached: 0,
    cacheCreation5m: 0,
    cacheCreation1h: 0,
    promptAudio: 0,
    promptImage: 0,
    completion: 0,
    reasoning: 0,
    completionAudio: 0,
    completionImage: 0,
    units: {},
    tools: {},
    source,
  };
}
