/** Parameters that Grok models refuse. Source: providers/xai.md, read 2026-11. */
import type { JsonObject } from '../../json.ts';
import type { UpstreamCall } from '../../provider.ts';
import { nearestEffort, removeFields, renameField } from '../wire-edits.ts';

/** Efforts that a model takes, the least first; a model that is not listed takes none. First match counts. */
const effortsByModel: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^grok-3-mini/, ['low', 'high']],
  [/^grok-4\.3/, ['none', 'low', 'medium', 'high']],
  [/^grok-4\.[5-9]/, ['low', 'medium', 'high']],
];

const reasons = /^grok-(3-mini|4|code|build)/;
const doesNotReason = /non-reasoning/;

export function fitGrok(body: JsonObject, { model, format }: UpstreamCall): void {
  if (format !== 'openai-chat') return;
  if (reasons.test(model) && !doesNotReason.test(model)) {
    renameField(body, 'max_tokens', 'max_completion_tokens');
    removeFields(body, ['presence_penalty', 'frequency_penalty', 'stop']);
  }
  if (typeof body.reasoning_effort !== 'string') return;
  const efforts = effortsByModel.find(([pattern]) => pattern.test(model))?.[1] ?? [];
  const effort = nearestEffort(body.reasoning_effort, efforts);
  if (effort === undefined) delete body.reasoning_effort;
  else body.reasoning_effort = effort;
}
