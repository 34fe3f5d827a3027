import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AnswerCollector } from '../../../../daemon/relay/canonical/collect.ts';

const test = suite('an answer put together of its events');

test('has the parts of a thought that were told, whatever numbers their upstream gave them', () => {
  const collector = new AnswerCollector();
  const at = { choice: 0, block: 0 };
  collector.push({ type: 'reasoning-start', ...at, form: 'summary' });
  for (const [part, text] of [
    [0, 'I '],
    [0, 'look.'],
    [1_000_000_000, 'I '],
    [1_000_000_000, 'see.'],
  ] as const) {
    collector.push({ type: 'reasoning-delta', ...at, text, part });
  }
  collector.push({ type: 'reasoning-end', ...at });
  assert.equal(collector.result().choices[0]?.items, [
    { type: 'reasoning', form: 'summary', texts: ['I look.', 'I see.'] },
  ]);
});

test('has all of a sound whose pieces are filled up, and the type that they were told to be of', () => {
  const collector = new AnswerCollector();
  for (const words of ['a', 'bc', 'def', 'g']) {
    const data = Buffer.from(words).toString('base64');
    collector.push({ type: 'audio-delta', choice: 0, data, mediaType: 'audio/L16;rate=24000' });
  }
  assert.equal(collector.result().choices[0]?.items, [
    {
      type: 'assistant',
      parts: [
        {
          type: 'audio',
          source: {
            kind: 'inline',
            mediaType: 'audio/L16;rate=24000',
            data: Buffer.from('abcdefg').toString('base64'),
          },
        },
      ],
    },
  ]);
});

test.run();
