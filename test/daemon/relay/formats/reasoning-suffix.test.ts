import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FormatId } from '../../../../daemon/relay/format.ts';
import {
  applyWish,
  applyWishToBody,
  readReasoningSuffix,
  type SuffixOptions,
} from '../../../../daemon/relay/formats/reasoning-suffix.ts';
import type { JsonObject } from '../../../../daemon/relay/json.ts';
import { anyRequest } from '../../../conformance/translate.ts';

const test = suite('reasoning suffixes');

const options: SuffixOptions = {
  claudeThinking: true,
  claudeBudgetShare: 0.8,
  geminiThinking: true,
  geminiBudgetModels: ['gemini-2.5-flash', 'gemini-2.5-pro'],
  geminiBudgetShare: 0.6,
};

/** A native body of a suffixed model, as it is sent. */
function sent(format: FormatId, model: string, body: JsonObject): JsonObject {
  const family = model.startsWith('gemini-') ? 'gemini-generate' : 'anthropic-messages';
  const found = readReasoningSuffix(family, model, options);
  assert.ok(found);
  return applyWishToBody(format, body, found);
}

test('belong to the families that own them', () => {
  for (const name of ['kimi-k2-thinking', 'qwen3-235b-thinking-2507', 'gemini-1.5-flash-thinking', 'claude-high']) {
    for (const format of ['anthropic-messages', 'gemini-generate', 'openai-chat'] as const) {
      assert.is(readReasoningSuffix(format, name, options), undefined, name);
    }
  }
});

test('mean nothing where the option is off', () => {
  const off = { ...options, claudeThinking: false, geminiThinking: false };
  assert.is(readReasoningSuffix('anthropic-messages', 'claude-sonnet-4-5-thinking', off), undefined);
  assert.is(readReasoningSuffix('gemini-generate', 'gemini-2.5-flash-thinking', off), undefined);
});

test('give a Claude up to 4.5 a share of its limit and take away what thinking forbids', () => {
  const body = {
    max_tokens: 100,
    temperature: 0.3,
    top_k: 5,
    top_p: 0.5,
    tool_choice: { type: 'tool', name: 'f', disable_parallel_tool_use: true },
  };
  assert.equal(sent('anthropic-messages', 'claude-sonnet-4-5-thinking', body), {
    max_tokens: 1280,
    thinking: { type: 'enabled', budget_tokens: 1024 },
    tool_choice: { type: 'auto', disable_parallel_tool_use: true },
  });
  const { thinking } = sent('anthropic-messages', 'claude-sonnet-4-5-thinking', { max_tokens: 10_000 });
  assert.equal(thinking, { type: 'enabled', budget_tokens: 8000 });
});

test('leave a Claude up to 4.5 as it is in a turn of tools that began without a thought', () => {
  const messages = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'f', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'ok' }] },
  ];
  const body = { max_tokens: 100, temperature: 0.3, messages };
  assert.equal(sent('anthropic-messages', 'claude-sonnet-4-5-thinking', body), body);
  const next = { max_tokens: 2000, messages: [...messages, { role: 'user', content: 'and now' }] };
  assert.ok(sent('anthropic-messages', 'claude-sonnet-4-5-thinking', next).thinking);
});

test('let a Claude from 4.6 on think by its own judgement', () => {
  const body = sent('anthropic-messages', 'claude-opus-4-6-thinking', { max_tokens: 4000 });
  assert.equal(body.thinking, { type: 'adaptive' });
  assert.equal(body.output_config, { effort: 'high' });
  assert.equal(sent('anthropic-messages', 'claude-opus-5-low', { max_tokens: 4000 }).output_config, { effort: 'low' });
});

test('are shown by newer models, which hide thoughts, to clients that ask by the name', () => {
  const asked = (name: string) => sent('anthropic-messages', name, { max_tokens: 4000 }).thinking;
  assert.equal(asked('claude-opus-4-7-thinking'), { type: 'adaptive', display: 'summarized' });
  assert.equal(asked('claude-opus-4-7-high'), { type: 'adaptive' });
});

test('make room to think, but for an effort alone', () => {
  const limit = (model: string) => sent('anthropic-messages', model, { max_tokens: 100 }).max_tokens;
  assert.equal(
    ['claude-sonnet-4-5-thinking', 'claude-opus-4-6-thinking', 'claude-opus-4-6-high'].map(limit),
    [1280, 1280, 100],
  );
  const translated = (model: string, maxTokens: number) => {
    const found = readReasoningSuffix('anthropic-messages', model, options);
    return found && applyWish({ ...anyRequest, maxTokens }, found.wish, undefined).maxTokens;
  };
  assert.is(translated('claude-sonnet-4-5-thinking', 1100), 1280);
  assert.is(translated('claude-opus-4-6-thinking', 100), 1280);
  assert.is(translated('claude-opus-4-6-high', 100), 100);
  assert.is(translated('claude-sonnet-4-5-thinking', 5000), 5000);
});

test('give an effort also to a client that says how to think and not how hard', () => {
  const adaptive = { max_tokens: 4000, thinking: { type: 'adaptive' } };
  assert.equal(sent('anthropic-messages', 'claude-opus-4-6-high', adaptive), {
    ...adaptive,
    output_config: { effort: 'high' },
  });
  const own = { ...adaptive, output_config: { effort: 'low' } };
  assert.is(sent('anthropic-messages', 'claude-opus-4-6-high', own), own);
  const found = readReasoningSuffix('anthropic-messages', 'claude-opus-4-6-high', options);
  assert.ok(found);
  const asked = { ...anyRequest, reasoning: { mode: 'adaptive' } } as const;
  assert.equal(applyWish(asked, found.wish, undefined).reasoning, { mode: 'adaptive', effort: 'high' });
});

test('leave a request alone that says itself how to think', () => {
  const body = { max_tokens: 4000, thinking: { type: 'disabled' } };
  assert.is(sent('anthropic-messages', 'claude-sonnet-4-5-thinking', body), body);
});

test('give Gemini 2.5 a budget and Gemini 3 a level', () => {
  const budget = sent('gemini-generate', 'gemini-2.5-flash-thinking', { generationConfig: { maxOutputTokens: 1000 } });
  assert.equal(budget.generationConfig, {
    maxOutputTokens: 1000,
    thinkingConfig: { includeThoughts: true, thinkingBudget: 600 },
  });
  assert.equal(sent('gemini-generate', 'gemini-2.5-flash-thinking', {}).generationConfig, {
    thinkingConfig: { includeThoughts: true, thinkingBudget: 24_576 },
  });
  assert.equal(sent('gemini-generate', 'gemini-2.5-pro-nothinking', {}).generationConfig, {
    thinkingConfig: { thinkingBudget: 128 },
  });
  assert.equal(sent('gemini-generate', 'gemini-2.5-flash-thinking-2048', {}).generationConfig, {
    thinkingConfig: { includeThoughts: true, thinkingBudget: 2048 },
  });
  assert.equal(sent('gemini-generate', 'gemini-3-flash-preview-minimal', {}).generationConfig, {
    thinkingConfig: { includeThoughts: true, thinkingLevel: 'minimal' },
  });
});

test('give Gemini no more than 24,576 tokens as a share, and Pro what is named', () => {
  const budgetOf = (model: string) => {
    const { generationConfig } = sent('gemini-generate', model, { generationConfig: { maxOutputTokens: 60_000 } });
    return (generationConfig as { thinkingConfig: { thinkingBudget: number } }).thinkingConfig.thinkingBudget;
  };
  assert.is(budgetOf('gemini-2.5-flash-thinking'), 24_576);
  assert.is(budgetOf('gemini-2.5-pro-thinking'), 24_576);
  assert.is(budgetOf('gemini-2.5-pro-thinking-30000'), 30_000);
  const found = readReasoningSuffix('gemini-generate', 'gemini-2.5-pro-thinking', options);
  assert.ok(found);
  const asked = { ...anyRequest, maxTokens: 60_000 };
  assert.is(applyWish(asked, found.wish, undefined).reasoning?.budgetTokens, 24_576);
});

test('reach a translated request as its reasoning', () => {
  const found = readReasoningSuffix('anthropic-messages', 'claude-sonnet-4-5-thinking', options);
  assert.ok(found);
  assert.is(found.model, 'claude-sonnet-4-5');
  assert.equal(applyWish({ ...anyRequest, maxTokens: 5000 }, found.wish, undefined).reasoning, {
    mode: 'enabled',
    budgetTokens: 4000,
  });
});

test.run();
