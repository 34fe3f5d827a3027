/** Cerebras. Knows only its own dialect. Source: providers/cerebras.md, read 2026-11. */
import type { JsonObject } from '../../json.ts';
import { openaiCompatible, openaiFormats } from '../openai-compatible.ts';
import { effortUpToHigh, reasoningAsReasoning, removeFields } from '../wire-edits.ts';

/** Penalties are refused by some of its models. */
const refused = ['store', 'metadata', 'modalities', 'functions', 'frequency_penalty', 'presence_penalty'];

function fitCerebras(body: JsonObject): void {
  removeFields(body, refused);
  reasoningAsReasoning(body);
  effortUpToHigh(body);
  if (body.reasoning_effort === 'minimal') body.reasoning_effort = 'low';
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
