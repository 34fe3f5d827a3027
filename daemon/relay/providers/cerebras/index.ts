/** Cerebras. Knows only its own dialect. Source: providers/cerebras.md, read 2026-11. */
import type { JsonObject } from '../../json.ts';
import type { UpstreamCall } from '../../provider.ts';
import { openaiCompatible, openaiFormats } from '../openai-compatible.ts';
import { clampField, nearestEffort, reasoningAsReasoning, removeFields } from '../wire-edits.ts';

/** Penalties are refused by some of its models. */
const refused = ['store', 'metadata', 'modalities', 'functions', 'frequency_penalty', 'presence_penalty'];

const efforts = ['low', 'medium', 'high'];

/** OpenAI's open models cannot be kept from thinking, and refuse the wish. */
function fitCerebras(body: JsonObject, { model }: UpstreamCall): void {
  removeFields(body, refused);
  reasoningAsReasoning(body);
  clampField(body, 'temperature', { min: 0, max: 1.5 });
  const wish = body.reasoning_effort;
  if (typeof wish !== 'string' || (wish === 'none' && !/gpt-oss/.test(model))) return;
  body.reasoning_effort = nearestEffort(wish, efforts) ?? wish;
}

export const cerebras = openaiCompatible({
  id: 'cerebras',
  owner: 'cerebras',
  label: { en: 'Cerebras', zh: 'Cerebras' },
  channelType: 102,
  baseUrl: 'https://api.cerebras.ai',
  speaks: openaiFormats('completions'),
  failures: [
    { code: 'wrong_api_key', means: 'bad-key' },
    { status: 401, means: 'bad-key' },
    { status: 402, means: 'no-credit' },
    { status: 404, means: 'no-model' },
    { status: 429, text: /per day|daily/i, means: 'rate-limit', exhausts: 'model' },
  ],
  amend: fitCerebras,
  models: ['gpt-oss-120b', 'qwen-3.8-27b', 'gemma-4-31b'],
});
