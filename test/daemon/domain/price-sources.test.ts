import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readPriceSource } from '../../../daemon/domain/price-sources.ts';

const sources = suite('domain/price-sources');

const read = (content: unknown) => {
  const source = readPriceSource(content);
  return source && { format: source.format, ...Object.fromEntries(source.models) };
};

sources('read maps of ratios, as they are or in the envelope of an export', () => {
  const maps = {
    model_ratio: { a: 1.25, b: -1, c: 'x', d: 2e6 },
    completion_ratio: { a: 4, lonely: 2 },
    create_cache_ratio: { a: 1.25 },
    model_price: { picture: 0.04 },
  };
  const found = {
    format: 'ratios',
    a: { ModelRatio: 1.25, CompletionRatio: 4, CacheCreationRatio: 1.25 },
    picture: { ModelPrice: 0.04 },
  };
  assert.equal(read(maps), found);
  assert.equal(read({ success: true, data: maps }), found);
  const { create_cache_ratio: written, ...others } = maps;
  assert.equal(read({ ...others, cache_creation_ratio: written }), found);
});

sources('read the dollars a token of LiteLLM as ratios', () => {
  const list = {
    sample_spec: { litellm_provider: 'one of the docs', mode: 'chat', input_cost_per_token: 0 },
    'gpt-4o': {
      litellm_provider: 'openai',
      mode: 'chat',
      input_cost_per_token: 2.5e-6,
      output_cost_per_token: 1e-5,
      cache_read_input_token_cost: 1.25e-6,
      input_cost_per_audio_token: 4e-5,
      output_cost_per_audio_token: 8e-5,
    },
    'text-embedding-3-small': {
      litellm_provider: 'openai',
      mode: 'embedding',
      input_cost_per_token: 2e-8,
      output_cost_per_token: 0,
    },
    picture: { litellm_provider: 'openai', mode: 'image_generation', output_cost_per_image: 0.04 },
    unknown: { litellm_provider: 'x', mode: 'chat', input_cost_per_token: 0, output_cost_per_token: 0 },
  };
  assert.equal(read(list), {
    format: 'litellm',
    'gpt-4o': { ModelRatio: 1.25, CompletionRatio: 4, CacheRatio: 0.5, AudioRatio: 16, AudioCompletionRatio: 2 },
    'text-embedding-3-small': { ModelRatio: 0.01 },
    picture: { ModelPrice: 0.04 },
  });
});

sources('read the texts of OpenRouter, and leave out what varies or is free', () => {
  const list = [
    { id: 'openai/gpt-4o', pricing: { prompt: '0.0000025', completion: '0.00001', input_cache_read: '0.00000125' } },
    { id: 'openrouter/auto', pricing: { prompt: '-1', completion: '-1' } },
    { id: 'some/model:free', pricing: { prompt: '0', completion: '0' } },
  ];
  const found = { ModelRatio: 1.25, CompletionRatio: 4, CacheRatio: 0.5 };
  assert.equal(read({ data: list }), { format: 'openrouter', 'openai/gpt-4o': found });
});

sources('know no other list', () => {
  for (const content of [null, 7, 'text', [], {}, { a: 1 }, { error: { message: 'no' } }, { a: { price: 1 } }]) {
    assert.is(readPriceSource(content), undefined);
  }
});

sources.run();
