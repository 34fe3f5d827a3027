import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findEmbeddingsUsage } from '../../../../../daemon/relay/formats/openai-embeddings/usage.ts';

const test = suite('embeddings usage');

test('counts what was read and nothing else', () => {
  const read = findEmbeddingsUsage({ usage: { prompt_tokens: 8, completion_tokens: 5, total_tokens: 13 } });
  assert.equal([read?.prompt, read?.completion], [8, 0]);
  assert.is(findEmbeddingsUsage({ usage: { total_tokens: 6 } })?.prompt, 6);
  assert.is(findEmbeddingsUsage({ usage: { prompt_tokens: 0 } }), undefined);
  assert.is(findEmbeddingsUsage({ data: [] }), undefined);
});

test.run();
