/** How MiniMax's chat differs from OpenAI's. Source: providers/minimax.md, read 2026-11. */
import type { JsonObject } from '../../json.ts';
import type { UpstreamCall } from '../../provider.ts';
import {
  clampField,
  developerToSystem,
  nearestEffort,
  removeFields,
  renameField,
  unforcedTools,
} from '../wire-edits.ts';

const unknown = [
  'stop',
  'n',
  'logprobs',
  'top_logprobs',
  'logit_bias',
  'presence_penalty',
  'frequency_penalty',
  'seed',
  'user',
  'function_call',
];

/** What always thinks does so as hard as it can, unless it is told. */
const efforts = ['low', 'medium', 'high', 'xhigh', 'max'];

function setEffort(body: JsonObject, wish: string): void {
  const effort = nearestEffort(wish, efforts);
  if (effort !== undefined) body.effort ??= effort;
}

export function fitMiniMax(body: JsonObject, { format, model }: UpstreamCall): void {
  if (format !== 'openai-chat') return;
  developerToSystem(body);
  removeFields(body, unknown);
  renameField(body, 'max_tokens', 'max_completion_tokens');
  clampField(body, 'temperature', { min: 0.01, max: 1 });
  clampField(body, 'top_p', { min: 0.01, max: 1 });
  unforcedTools(body);
  // Otherwise thoughts stand inside the answer's text.
  body.reasoning_split = true;
  const effort = body.reasoning_effort;
  if (typeof effort !== 'string') return;
  delete body.reasoning_effort;
  if (/^MiniMax-M3(?!\.)/i.test(model)) body.thinking ??= { type: effort === 'none' ? 'disabled' : 'adaptive' };
  else if (/^MiniMax-M3\./i.test(model)) setEffort(body, effort);
}
