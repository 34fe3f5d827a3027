/** How MiniMax's chat differs from OpenAI's. Source: providers/minimax.md, read 2026-11. */
import { asObjects, asText, inexpressible } from '../../formats/fields.ts';
import type { JsonObject } from '../../json.ts';
import type { UpstreamCall } from '../../provider.ts';
import {
  clampField,
  developerToSystem,
  formatAsInstruction,
  nearestEffort,
  removeFields,
  renameField,
  unforcedTools,
} from '../wire-edits.ts';

/** What OpenAI's chat has and its sheet does not: overlooked there, so that whoever asks is told. */
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
  'functions',
  'parallel_tool_calls',
  'top_k',
  'modalities',
  'audio',
  'prediction',
  'verbosity',
  'web_search_options',
  'metadata',
  'store',
  'service_tier',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
];

/** Of its models one alone is held to a form of its answer. */
const keepsForm = /^MiniMax-Text-01/i;

/** What always thinks does so as hard as it can, unless it is told. */
const efforts = ['low', 'medium', 'high', 'xhigh', 'max'];

/** These read nothing but words. */
const blind = /^(?:MiniMax-(?:M1|M2|Text)|M2-her|abab)/i;

function refuseMedia(body: JsonObject): void {
  const parts = asObjects(body.messages).flatMap(({ content }) => asObjects(content));
  const medium = parts.find(({ type }) => type === 'image_url' || type === 'video_url');
  if (medium !== undefined) throw inexpressible('content', `${asText(medium.type)} cannot be sent to this model`);
}

function setEffort(body: JsonObject, wish: string): void {
  const effort = nearestEffort(wish, efforts);
  if (effort !== undefined) body.effort ??= effort;
}

export function fitMiniMax(body: JsonObject, { format, model }: UpstreamCall): void {
  if (format !== 'openai-chat') return;
  if (blind.test(model)) refuseMedia(body);
  developerToSystem(body);
  removeFields(body, unknown);
  if (!keepsForm.test(model)) formatAsInstruction(body);
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
