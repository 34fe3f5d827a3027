/**
 * What one answer consumed, in the one shape that pricing reads (relay.md 14.1).
 * Inclusive semantics: `prompt` contains everything that was read, cached and written parts too.
 * All token fields are non-negative integers, saturated at `MAX_TOKENS`.
 */
export const MAX_TOKENS = 2_147_483_647;

/** An image that a tool made, as far as the upstream describes it. */
export interface ToolImage {
  readonly model: string;
  readonly size?: string;
  readonly quality?: string;
}

/** How often each tool ran. */
export interface ToolCounts {
  web_search?: number;
  web_search_preview?: number;
  file_search?: number;
  google_search?: number;
  claude_web_search?: number;
  code_interpreter?: number;
  image_generation?: number;
  image_search?: number;
  fetch_url?: number;
  people_search?: number;
  finance_search?: number;
  /** Those of the images of `image_generation` that are described. */
  images?: readonly ToolImage[];
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
  /** The upstream told a sum alone: `prompt` has all of it, what was answered too. */
  undivided?: true;
}

/** Output that was counted here: all of it, and of that what is heard. */
export type CountedOutput = Pick<Usage, 'completion' | 'completionAudio'>;

/** The output that a report tells of. */
export function reportedOutput(usage: Usage | undefined): CountedOutput {
  return { completion: usage?.completion ?? 0, completionAudio: usage?.completionAudio ?? 0 };
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

/**
 * Two reports of the same answer in one: a field's later value wins unless it is 0 (relay.md 14.1), for streams
 * report piecemeal and some vendors end with a report that has forgotten the prompt.
 */
export function mergeUsage(earlier: Usage | undefined, later: Usage): Usage {
  if (earlier === undefined) return later;
  // Both say how the same tokens were kept: a part of the one and a part of the other would count them twice.
  const written = later.cacheCreation5m + later.cacheCreation1h > 0 ? later : earlier;
  const merged: Usage = {
    prompt: later.prompt || earlier.prompt,
    cached: later.cached || earlier.cached,
    cacheCreation5m: written.cacheCreation5m,
    cacheCreation1h: written.cacheCreation1h,
    promptAudio: later.promptAudio || earlier.promptAudio,
    promptImage: later.promptImage || earlier.promptImage,
    completion: later.completion || earlier.completion,
    reasoning: later.reasoning || earlier.reasoning,
    completionAudio: later.completionAudio || earlier.completionAudio,
    completionImage: later.completionImage || earlier.completionImage,
    units: { ...earlier.units, ...later.units },
    tools: { ...earlier.tools, ...later.tools },
    source: earlier.source === later.source ? later.source : 'mixed',
  };
  const { undivided } = later.prompt > 0 ? later : earlier;
  if (undivided === true && merged.completion === 0) merged.undivided = true;
  return merged;
}

/** Counts of question and answer where so many tokens were received: beside the report, or out of its sum. */
export function withCompletion(
  reported: Usage,
  received: CountedOutput,
): CountedOutput & Pick<Usage, 'prompt' | 'undivided'> {
  const { prompt, undivided } = reported;
  const completionAudio = Math.max(reported.completionAudio, received.completionAudio);
  if (undivided !== true) return { prompt, completion: received.completion, completionAudio };
  // No answer was asked for with nothing.
  const completion = Math.min(received.completion, Math.max(0, prompt - 1));
  return { prompt: prompt - completion, completion, completionAudio };
}

/** Usage with the tools that were told of beside it; undefined without usage. */
export function withTools(usage: Usage | undefined, tools: ToolCounts | undefined): Usage | undefined {
  return usage === undefined || tools === undefined ? usage : { ...usage, tools: { ...usage.tools, ...tools } };
}

/** What several answers consumed together; undefined where one of them does not tell. */
export function sumUsage(usages: readonly (Usage | undefined)[]): Usage | undefined {
  const [first, ...rest] = usages;
  if (first === undefined) return undefined;
  let sum = first;
  for (const one of rest) {
    if (one === undefined) return undefined;
    sum = addUsage(sum, one);
  }
  return sum;
}

/** Both usages together. */
export function addUsage(one: Usage, other: Usage): Usage {
  return {
    prompt: tokenCount(one.prompt + other.prompt),
    cached: tokenCount(one.cached + other.cached),
    cacheCreation5m: tokenCount(one.cacheCreation5m + other.cacheCreation5m),
    cacheCreation1h: tokenCount(one.cacheCreation1h + other.cacheCreation1h),
    promptAudio: tokenCount(one.promptAudio + other.promptAudio),
    promptImage: tokenCount(one.promptImage + other.promptImage),
    completion: tokenCount(one.completion + other.completion),
    reasoning: tokenCount(one.reasoning + other.reasoning),
    completionAudio: tokenCount(one.completionAudio + other.completionAudio),
    completionImage: tokenCount(one.completionImage + other.completionImage),
    units: addedCounts(unitNames, one.units, other.units),
    tools: addedTools(one.tools, other.tools),
    source: one.source === other.source ? one.source : 'mixed',
  };
}

const unitNames = ['images', 'characters', 'seconds', 'searchUnits'] as const satisfies readonly (keyof UsageUnits)[];
/** Every tool that usage can report, in the order of log rows. */
export const toolNames = [
  'web_search',
  'web_search_preview',
  'file_search',
  'google_search',
  'claude_web_search',
  'code_interpreter',
  'image_generation',
  'image_search',
  'fetch_url',
  'people_search',
  'finance_search',
] as const satisfies readonly (keyof ToolCounts)[];
export type ToolName = (typeof toolNames)[number];

function addedTools(one: ToolCounts, other: ToolCounts): ToolCounts {
  const sum: ToolCounts = addedCounts(toolNames, one, other);
  const images = [...(one.images ?? []), ...(other.images ?? [])];
  return images.length === 0 ? sum : { ...sum, images };
}

type Counts<Name extends string> = { [K in Name]?: number };

function addedCounts<Name extends string>(
  names: readonly Name[],
  one: Counts<Name>,
  other: Counts<Name>,
): Counts<Name> {
  const sum: Counts<Name> = {};
  for (const name of names) {
    const count = (one[name] ?? 0) + (other[name] ?? 0);
    if (count > 0) sum[name] = count;
  }
  return sum;
}

/** A token count as read from a wire: non-negative, whole, saturated; 0 for anything that is no number. */
export function tokenCount(value: unknown): number {
  if (typeof value !== 'number' || !(value > 0)) return 0;
  return Math.min(Math.floor(value), MAX_TOKENS);
}
