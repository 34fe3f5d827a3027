import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MAX_TOKENS } from '../../../../../daemon/relay/canonical/usage.ts';
import { findUsage, readOpenAiUsage } from '../../../../../daemon/relay/formats/openai-chat/read-usage.ts';
import type { JsonObject } from '../../../../../daemon/relay/json.ts';

const read = (usage: JsonObject) => {
  const found = readOpenAiUsage(usage);
  return found && [found.prompt, found.cached, found.completion, found.reasoning];
};

const test = suite('chat usage');

test('is taken as it stands where the vendor counts like OpenAI', () => {
  const details = { prompt_tokens_details: { cached_tokens: 2 }, completion_tokens_details: { reasoning_tokens: 3 } };
  assert.equal(read({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, ...details }), [10, 2, 5, 3]);
});

test('gets its reasoning back where the vendor leaves it out of the completion', () => {
  const reasoning = { completion_tokens_details: { reasoning_tokens: 94 } };
  assert.equal(read({ prompt_tokens: 32, completion_tokens: 9, total_tokens: 135, ...reasoning }), [32, 0, 103, 94]);
  assert.equal(read({ prompt_tokens: 32, completion_tokens: 200, total_tokens: 326, ...reasoning }), [32, 0, 294, 94]);
});

test('gets its prompt from the total where only that is told', () => {
  assert.equal(read({ prompt_tokens: 0, completion_tokens: 5, total_tokens: 15 }), [10, 0, 5, 0]);
});

test('is none where all numbers are zero or absent', () => {
  assert.is(read({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }), undefined);
  assert.is(readOpenAiUsage(null), undefined);
});

test('counts cached tokens into the prompt where the vendor leaves them out', () => {
  assert.equal(read({ prompt_tokens: 10, completion_tokens: 1, total_tokens: 11, cached_tokens: 40 }), [50, 40, 1, 0]);
});

test('counts audio into the prompt where the vendor leaves it out', () => {
  const details = { prompt_tokens_details: { audio_tokens: 375, cached_tokens: 9 } };
  assert.equal(read({ prompt_tokens: 11, completion_tokens: 15, total_tokens: 401, ...details }), [386, 9, 15, 0]);
});

test('finds cached tokens under every name', () => {
  for (const name of ['prompt_cache_hit_tokens', 'cached_tokens']) {
    assert.equal(read({ prompt_tokens: 10, completion_tokens: 1, [name]: 4 }), [10, 4, 1, 0]);
  }
  assert.equal(
    read({ prompt_tokens: 10, completion_tokens: 1, input_tokens_details: { cached_tokens: 4 } }),
    [10, 4, 1, 0],
  );
  const both = { prompt_tokens_details: { audio_tokens: 0 }, input_tokens_details: { cached_tokens: 4 } };
  assert.equal(read({ prompt_tokens: 10, completion_tokens: 1, ...both }), [10, 4, 1, 0]);
});

test('is found in every place where servers put it', () => {
  const usage = { prompt_tokens: 1, completion_tokens: 2 };
  for (const body of [{ usage }, { x_groq: { usage } }, { choices: [{ usage }] }])
    assert.is(findUsage(body)?.completion, 2);
});

test('never goes below zero or above the largest count', () => {
  assert.equal(read({ prompt_tokens: 1e12, completion_tokens: -5, total_tokens: 1 }), [MAX_TOKENS, 0, 0, 0]);
});

test.run();
