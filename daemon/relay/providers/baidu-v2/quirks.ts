/** How Qianfan's chat differs from OpenAI's. Source: providers/baidu.md, read 2026-11. */
import { entryOf } from '../../formats/fields.ts';
import type { JsonObject } from '../../json.ts';
import type { UpstreamCall } from '../../provider.ts';
import { developerToSystem, removeFields } from '../wire-edits.ts';

const aliases: Readonly<Record<string, string>> = {
  'ernie-character-8k': 'ernie-char-8k',
  'ernie-character-fiction-8k': 'ernie-char-fiction-8k',
};

/** Thinking is a flag on these, an object on those, and neither anywhere else. */
const takesFlag = /^qwen3-|^ernie-5\.0-thinking|vl/;
const takesObject = /^deepseek|^kimi-k2\.5|^glm-(?:5|4\.7)/;
const takesBudget = /^qwen3-|^ernie-5\.0-thinking|^deepseek-v4-|^deepseek-r1|think/;

/** Warm by itself; may refuse to be told otherwise. */
const ownTemperature = /^ernie-5\.5-flash/;

const budgets: Readonly<Record<string, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 16_384,
  max: 16_384,
};

/** Words of OpenAI's image models alone. */
const openaiWords = ['quality', 'style', 'background', 'moderation', 'output_format', 'output_compression'];

/** Images come by address: who wants them inline gets them fetched. */
function fitImages(body: JsonObject): void {
  removeFields(body, ['response_format', 'stream', 'partial_images', ...openaiWords]);
  if (body.size === 'auto') delete body.size;
}

export function fitQianfan(body: JsonObject, { format }: UpstreamCall): void {
  if (typeof body.model === 'string') {
    const model = body.model.toLowerCase();
    body.model = entryOf(aliases, model) ?? model;
  }
  if (format === 'openai-embeddings') {
    delete body.encoding_format;
    if (typeof body.input === 'string') body.input = [body.input];
  }
  if (format === 'openai-images') fitImages(body);
  if (format !== 'openai-chat') return;
  developerToSystem(body);
  if (typeof body.stop === 'string') body.stop = [body.stop];
  if (ownTemperature.test(String(body.model))) delete body.temperature;
  const effort = body.reasoning_effort;
  if (typeof effort !== 'string') return;
  delete body.reasoning_effort;
  const model = typeof body.model === 'string' ? body.model : '';
  if (takesFlag.test(model)) body.enable_thinking ??= effort !== 'none';
  else if (takesObject.test(model)) body.thinking ??= { type: effort === 'none' ? 'disabled' : 'enabled' };
  const budget = entryOf(budgets, effort);
  if (budget !== undefined && takesBudget.test(model)) body.thinking_budget ??= budget;
}
