/** Parameters that Grok models refuse. Source: providers/xai.md and the vendor's page on reasoning, read 2026-11. */
import { asObject } from '../../formats/fields.ts';
import type { JsonObject } from '../../json.ts';
import type { UpstreamCall } from '../../provider.ts';
import { nearestEffort, removeFields, renameField } from '../wire-edits.ts';

/** Efforts that a model takes, the least first; a model that is not listed takes none. First match counts. */
const effortsByModel: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^grok-3-mini/, ['low', 'high']],
  // Here it says how many agents there are.
  [/multi-agent/, ['low', 'medium', 'high', 'xhigh']],
  [/^grok-4\.3/, ['none', 'low', 'medium', 'high']],
  [/^grok-4\.[5-9]/, ['low', 'medium', 'high']],
];

const reasons = /^grok-(3-mini|4|code|build)/;
const doesNotReason = /non-reasoning/;

export function fitGrok(body: JsonObject, { model, format }: UpstreamCall): void {
  if (format === 'openai-responses') fitReasoning(body, model);
  if (format !== 'openai-chat') return;
  if (reasons.test(model) && !doesNotReason.test(model)) {
    renameField(body, 'max_tokens', 'max_completion_tokens');
    removeFields(body, ['presence_penalty', 'frequency_penalty', 'stop']);
  }
  if (typeof body.reasoning_effort !== 'string') return;
  const effort = knownEffort(body.reasoning_effort, model);
  if (effort === undefined) delete body.reasoning_effort;
  else body.reasoning_effort = effort;
}

function knownEffort(wish: string, model: string): string | undefined {
  return nearestEffort(wish, effortsByModel.find(([pattern]) => pattern.test(model))?.[1] ?? []);
}

/** In Responses too, a model refuses efforts that it does not know; what else is asked about its thoughts it takes. */
function fitReasoning(body: JsonObject, model: string): void {
  const { effort: wish, ...rest } = asObject(body.reasoning) ?? {};
  if (typeof wish !== 'string') return;
  const effort = knownEffort(wish, model);
  const fitted = effort === undefined ? rest : { ...rest, effort };
  if (Object.keys(fitted).length === 0) delete body.reasoning;
  else body.reasoning = fitted;
}
