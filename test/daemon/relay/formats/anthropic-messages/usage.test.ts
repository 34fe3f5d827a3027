/** Anthropic's `usage`, whose `input_tokens` leaves out what was read from and written to a cache (relay.md 14.1). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { emptyUsage } from '../../../../../daemon/relay/canonical/usage.ts';
import {
  anthropicUsageReader,
  encodeAnthropicUsage,
  isSearchResult,
  overlayUsage,
  readAnthropicUsage,
} from '../../../../../daemon/relay/formats/anthropic-messages/usage.ts';
import type { JsonObject } from '../../../../../daemon/relay/json.ts';

const test = suite('Messages usage');

const read = (usage: JsonObject) => {
  const found = readAnthropicUsage(usage);
  return found && [found.prompt, found.cached, found.cacheCreation5m, found.cacheCreation1h];
};

test('takes what is written without a word of how long it is kept for five minutes’', () => {
  const counts = { input_tokens: 10, cache_read_input_tokens: 5, cache_creation_input_tokens: 100 };
  const kept = (split: JsonObject) => read({ ...counts, cache_creation: split });
  assert.equal(read(counts), [115, 5, 100, 0]);
  assert.equal(kept({ ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 60 }), [115, 5, 40, 60]);
  assert.equal(kept({ ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 100 }), [115, 5, 0, 100]);
});

test('counts what is kept also where only its parts are told', () => {
  const cache_creation = { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 60 };
  assert.equal(read({ input_tokens: 10, cache_creation }), [100, 0, 30, 60]);
});

test('adds the summaries that the counts of the whole leave out', () => {
  const step = (type: string, input_tokens: number) => {
    return { type, input_tokens, output_tokens: 10, cache_read_input_tokens: 5, cache_creation_input_tokens: 3 };
  };
  const whole = { input_tokens: 300, output_tokens: 20 };
  const iterations = [
    step('compaction', 180_000),
    step('message', 100),
    step('advisor_message', 1000),
    step('message', 200),
  ];
  const read = readAnthropicUsage({ ...whole, iterations });
  const { prompt, cached, cacheCreation5m, completion } = read ?? emptyUsage();
  assert.equal([prompt, cached, cacheCreation5m, completion], [180_308, 5, 3, 30]);
  assert.is(readAnthropicUsage({ ...whole, iterations: null })?.prompt, 300);
});

test('counts a single search, and none', () => {
  const searches = (web_search_requests: number) =>
    readAnthropicUsage({ input_tokens: 1, server_tool_use: { web_search_requests } })?.tools;
  assert.equal([searches(0), searches(1)], [{}, { claude_web_search: 1 }]);
});

test('takes a search for done only where it found something', () => {
  const block = (type: string) => ({ type: 'web_search_tool_result', content: { type, error_code: 'unavailable' } });
  assert.equal(
    [
      isSearchResult({ type: 'web_search_tool_result', content: [] }),
      isSearchResult(block('web_search_tool_result_error')),
    ],
    [true, false],
  );
});

test('believes in a fresh prompt of nothing only beside what was read from a cache', () => {
  const first = { input_tokens: 50, output_tokens: 1 };
  assert.is(overlayUsage(first, { input_tokens: 0, output_tokens: 9 }).input_tokens, 50);
  assert.is(overlayUsage(first, { input_tokens: 0, cache_read_input_tokens: 50 }).input_tokens, 0);
});

test('takes the tokens of an answer that has only begun for none, until its end counts them', () => {
  const read = anthropicUsageReader();
  const opened = read({ type: 'message_start', message: { usage: { input_tokens: 10, output_tokens: 3 } } });
  assert.equal([opened?.prompt, opened?.completion], [10, 0]);
  const ended = read({ type: 'message_delta', usage: { output_tokens: 30 } });
  assert.equal([ended?.prompt, ended?.completion], [10, 30]);
});

test('shows clients the fresh prompt, and what was read and written beside it', () => {
  const usage = { ...emptyUsage(), prompt: 100, cached: 20, cacheCreation5m: 30, cacheCreation1h: 5, completion: 7 };
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens } =
    encodeAnthropicUsage(usage);
  assert.equal([input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens], [45, 20, 35, 7]);
});

test.run();
