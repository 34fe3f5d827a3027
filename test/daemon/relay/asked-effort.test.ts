import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { askedEffort } from '../../../daemon/relay/asked-effort.ts';
import type { JsonObject } from '../../../daemon/relay/json.ts';

const test = suite('effort asked for');

test('is read in the words of every dialect, and is no word that nobody knows', () => {
  const asked: [JsonObject, string | undefined][] = [
    [{ reasoning_effort: 'high' }, 'high'],
    [{ reasoning: { effort: 'minimal' } }, 'minimal'],
    [{ output_config: { effort: 'max' } }, 'max'],
    [{ generationConfig: { thinkingConfig: { thinkingLevel: 'LOW' } } }, 'low'],
    [{ reasoning_effort: 'x'.repeat(9) }, undefined],
    [{ reasoning: null, generationConfig: [] }, undefined],
    [{}, undefined],
  ];
  for (const [body, effort] of asked) assert.is(askedEffort(body), effort);
});

test.run();
