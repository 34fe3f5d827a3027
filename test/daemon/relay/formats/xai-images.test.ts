/** What xAI is asked for where it has no word for the size. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { xaiImages } from '../../../../daemon/relay/formats/xai-images/index.ts';
import { testScope } from '../../../conformance/scope.ts';
import { at } from '../../../support/checkers/answer.ts';

const test = suite('xai-images');

const asked = { model: 'grok-imagine-image', prompt: 'a cat', count: 1, images: [], extra: {} } as const;

test('asks for the greatest resolution there is, and says where that is less than was asked for', () => {
  const made = (size: string) => {
    const scope = testScope();
    assert.ok('encodeRequest' in xaiImages);
    const { body } = xaiImages.encodeRequest({ ...asked, size }, scope);
    return [at(body, 'resolution'), scope.lost];
  };
  assert.equal(made('1024x1024'), [undefined, []]);
  for (const size of ['2K', '2048x2048']) assert.equal(made(size), ['2k', []], size);
  for (const size of ['4K', '3840x2160', '4096x4096']) assert.equal(made(size), ['2k', ['size']], size);
});

test.run();
