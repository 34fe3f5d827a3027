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

test('is read under its newer names where the older ones say nothing', () => {
  const older = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 30 };
  assert.equal(read({ ...older, input_tokens: 20, output_tokens: 10 }), [20, 0, 10, 0]);
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
  assert.equal(
    read({ prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: { cache_read_input_tokens: 4 } }),
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

test('counts reasoning once where an answer is nothing else', () => {
  const reasoning = { completion_tokens_details: { reasoning_tokens: 94 } };
  assert.equal(read({ prompt_tokens: 32, completion_tokens: 94, total_tokens: 126, ...reasoning }), [32, 0, 94, 94]);
  assert.equal(
    read({ prompt_tokens: 32, completion_tokens: 9, total_tokens: 135, reasoning_tokens: 94 }),
    [32, 0, 103, 94],
  );
});

test('leaves a prompt alone that was read from a cache as a whole', () => {
  assert.equal(read({ prompt_tokens: 40, completion_tokens: 1, cached_tokens: 40 }), [40, 40, 1, 0]);
});

test('takes one of everything for nothing, unless that is its sum too', () => {
  assert.is(read({ prompt_tokens: 1, completion_tokens: 1, total_tokens: 1 }), undefined);
  assert.equal(read({ prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }), [1, 0, 1, 0]);
});

test('finds what was written to a cache under every name', () => {
  const counts = { prompt_tokens: 10, completion_tokens: 1 };
  for (const name of ['cache_write_tokens', 'cached_creation_tokens', 'cache_creation_tokens']) {
    assert.is(readOpenAiUsage({ ...counts, prompt_tokens_details: { [name]: 4 } })?.cacheCreation5m, 4, name);
  }
  assert.is(readOpenAiUsage({ ...counts, cache_creation_input_tokens: 4 })?.cacheCreation5m, 4);
});

test('finds sound and pictures on either side, under the names of either wire', () => {
  const parts = { audio_tokens: 3, image_tokens: 2 };
  const counts = { prompt_tokens: 10, completion_tokens: 9 };
  for (const usage of [
    { ...counts, prompt_tokens_details: parts, completion_tokens_details: parts },
    { ...counts, input_tokens_details: parts, output_tokens_details: parts },
  ]) {
    const found = readOpenAiUsage(usage);
    assert.equal(
      [found?.promptAudio, found?.promptImage, found?.completionAudio, found?.completionImage],
      [3, 2, 3, 2],
    );
  }
});

test('adds up what the models of an application used', () => {
  const bot_usage = { model_usage: [1, 2].map((n) => ({ prompt_tokens: 10 * n, completion_tokens: n })) };
  const found = findUsage({ bot_usage });
  assert.equal([found?.prompt, found?.completion], [30, 3]);
});

test('never goes below zero or above the largest count', () => {
  assert.equal(read({ prompt_tokens: 1e12, completion_tokens: -5, total_tokens: 1 }), [MAX_TOKENS, 0, 0, 0]);
});

test.run();
