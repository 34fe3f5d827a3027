/** Groq. Knows only its own dialect. Source: providers/groq.md, read 2026-11. */
import { entryOf } from '../../formats/fields.ts';
import type { JsonObject } from '../../json.ts';
import type { UpstreamCall } from '../../provider.ts';
import { openaiCompatible, openaiFormats } from '../openai-compatible.ts';
import { reasoningAsReasoning, removeFields, removeFromMessages } from '../wire-edits.ts';

const efforts: Readonly<Record<string, string>> = {
  none: 'low',
  minimal: 'low',
  low: 'low',
  high: 'high',
  xhigh: 'high',
  max: 'high',
};

const refused = ['logprobs', 'top_logprobs', 'logit_bias', 'store', 'metadata'];

/** Efforts that a model takes; a model that is none of these takes no word at all. */
function fitEffort(body: JsonObject, model: string): void {
  const effort = body.reasoning_effort;
  if (typeof effort !== 'string') return;
  if (/qwen/i.test(model)) body.reasoning_effort = effort === 'none' ? 'none' : 'default';
  else if (/gpt-oss/i.test(model)) body.reasoning_effort = entryOf(efforts, effort) ?? 'medium';
  else delete body.reasoning_effort;
}

function fitGroq(body: JsonObject, { format, model }: UpstreamCall): void {
  if (format !== 'openai-chat') return;
  fitEffort(body, model);
  // Otherwise thoughts stand inside the answer's text.
  if (/qwen|deepseek-r1/i.test(model) && body.include_reasoning === undefined) body.reasoning_format ??= 'parsed';
  removeFields(body, refused);
  removeFromMessages(body, 'name');
  reasoningAsReasoning(body);
  if (typeof body.n === 'number' && body.n > 1) body.n = 1;
}

export const groq = openaiCompatible({
  id: 'groq',
  owner: 'groq',
  label: { en: 'Groq', zh: 'Groq' },
  channelType: 106,
  baseUrl: 'https://api.groq.com/openai',
  speaks: {
    ...openaiFormats('embeddings', 'speech', 'transcription', 'translation'),
    chat: ['openai-chat', 'openai-responses'],
  },
  failures: [
    { status: 401, means: 'bad-key' },
    { status: 400, code: 'organization_restricted', means: 'bad-key' },
    { code: 'model_decommissioned', means: 'no-model' },
    { status: 404, means: 'no-model' },
    { status: 413, code: 'rate_limit_exceeded', means: 'rate-limit' },
    { status: 429, text: /per day/i, means: 'rate-limit', exhausts: 'model' },
    { status: 498, means: 'overload' },
  ],
  amend: fitGroq,
  models: [
    'openai/gpt-oss-120b',
    'openai/gpt-oss-20b',
    'openai/gpt-oss-safeguard-20b',
    'llama-3.3-70b-versatile',
    'llama-3.1-8b-instant',
    'meta-llama/llama-4-scout-17b-16e-instruct',
    'qwen/qwen3-32b',
    'qwen/qwen3.6-27b',
    'minimaxai/minimax-m2.7',
    'groq/compound',
    'groq/compound-mini',
    'whisper-large-v3',
    'whisper-large-v3-turbo',
    'canopylabs/orpheus-v1-english',
    'meta-llama/llama-prompt-guard-2-86m',
  ],
});
