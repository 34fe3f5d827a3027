/** What the playground sends beside the messages, as it is kept for each user of this browser. */
import * as z from 'zod/mini';

export const reasoningEfforts = ['', 'minimal', 'low', 'medium', 'high'] as const;

export const CallParameters = z.object({
  group: z.string(),
  model: z.string(),
  temperature: z.number().check(z.minimum(0), z.maximum(2)),
  /** 0 is not sent. */
  maxTokens: z.int().check(z.minimum(0)),
  system: z.string(),
  topP: z.optional(z.number()),
  presencePenalty: z.optional(z.number()),
  frequencyPenalty: z.optional(z.number()),
  seed: z.optional(z.int()),
  /** One a line. */
  stop: z.string(),
  reasoningEffort: z.enum(reasoningEfforts),
  isJson: z.boolean(),
  /** JSON text of a list; "" sends none. */
  tools: z.string(),
  /** Channel that an administrator wants to answer; absent for any. */
  channel: z.optional(z.int().check(z.minimum(1))),
});
export type CallParameters = z.infer<typeof CallParameters>;

/** One side, or two that are compared. */
const Kept = z.array(CallParameters).check(z.minLength(1), z.maxLength(2));

export const initialParameters: CallParameters = {
  group: '',
  model: '',
  temperature: 0,
  maxTokens: 0,
  system: 'You are a helpful assistant.',
  stop: '',
  reasoningEffort: '',
  isJson: false,
  tools: '',
};

const preferredModel = 'gpt-4o-mini';

/** What was kept; the initial values where it cannot be read. */
export function keptParameters(kept: unknown): readonly CallParameters[] {
  const parsed = z.safeParse(Kept, kept);
  return parsed.success ? parsed.data : [initialParameters];
}

/** The model that is called: the chosen one while there is such a one. */
export function modelAmong(models: readonly string[], chosen: string): string | undefined {
  if (models.includes(chosen)) return chosen;
  return models.includes(preferredModel) ? preferredModel : models[0];
}

/** The group that is charged: the chosen one while it may be used, else the own one. */
export function groupAmong(groups: readonly string[], chosen: string, own: string): string {
  if (groups.includes(chosen)) return chosen;
  return groups.includes(own) ? own : (groups[0] ?? '');
}

/** Undefined where the text is no list of tools. */
export function toolsOf(text: string): readonly unknown[] | undefined {
  if (text.trim() === '') return [];
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
