import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { unwrapSeal, wrappedSealPrefix, wrapSeal } from '../../../../daemon/relay/canonical/seal.ts';

const test = suite('seals');

test('are shown to their own dialect as they came', () => {
  assert.is(wrapSeal({ origin: 'anthropic-messages', data: 'abc' }, 'anthropic-messages'), 'abc');
  assert.equal(unwrapSeal('abc', 'anthropic-messages'), { origin: 'anthropic-messages', data: 'abc' });
});

test('come back from any other dialect with their origin', () => {
  const seal = { origin: 'openai-responses', data: 'gAAA=\nx' } as const;
  const shown = wrapSeal(seal, 'gemini-generate');
  assert.match(shown, /^[A-Za-z0-9+/]+=*$/);
  assert.ok(shown.startsWith(wrappedSealPrefix));
  assert.equal(unwrapSeal(shown, 'gemini-generate'), seal);
});

test('survive a client that decodes and encodes them as bytes', () => {
  const seal = { origin: 'anthropic-messages', data: 'Eq==', redacted: true } as const;
  const shown = wrapSeal(seal, 'gemini-generate');
  assert.equal(unwrapSeal(Buffer.from(shown, 'base64').toString('base64'), 'gemini-generate'), seal);
});

test('with a forged origin stay what they are', () => {
  const forged = Buffer.from('tollgate:nobody\nx').toString('base64');
  assert.equal(unwrapSeal(forged, 'anthropic-messages'), { origin: 'anthropic-messages', data: forged });
});

test.run();
