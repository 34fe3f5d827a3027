/** Google's `usageMetadata`, where thoughts stand beside the answer and what tools read beside the prompt (relay.md 14.1). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findSearches, readGeminiUsage } from '../../../../../daemon/relay/formats/gemini-generate/usage.ts';

const test = suite('Gemini usage');

test('leaves sound and pictures that were read from a cache out of the fresh ones', () => {
  const details = (audio: number, image: number) => [
    { modality: 'AUDIO', tokenCount: audio },
    { modality: 'IMAGE', tokenCount: image },
  ];
  const found = readGeminiUsage({
    promptTokenCount: 500,
    cachedContentTokenCount: 150,
    promptTokensDetails: details(200, 258),
    cacheTokensDetails: details(50, 100),
  });
  assert.equal([found?.cached, found?.promptAudio, found?.promptImage], [150, 150, 158]);
});

test('takes the answer from the sum where it is not told, beside the prompt, what tools read and thoughts', () => {
  const read = (counts: Record<string, number>) => {
    const found = readGeminiUsage(counts);
    return [found?.prompt, found?.completion, found?.reasoning];
  };
  const counts = { promptTokenCount: 10, toolUsePromptTokenCount: 200, thoughtsTokenCount: 30 };
  assert.equal(read({ ...counts, totalTokenCount: 260 }), [210, 50, 30]);
  assert.equal(read({ ...counts, totalTokenCount: 210 }), [210, 30, 30]);
  assert.equal(read({ ...counts, candidatesTokenCount: 0, totalTokenCount: 999 }), [210, 30, 30]);
});

test('counts a search an answer up to 2.x, and each different query from 3.x on', () => {
  const searched = (modelVersion: string, ...webSearchQueries: string[]) =>
    findSearches({ modelVersion, candidates: [{ groundingMetadata: { webSearchQueries } }] })?.google_search;
  assert.equal(
    ['gemini-2.5-pro', 'gemini-3-pro-preview', 'gemini-10-pro'].map((model) => searched(model, 'a', 'b', 'a')),
    [1, 2, 2],
  );
  assert.is(searched('gemini-3-pro-preview'), undefined);
});

test.run();
