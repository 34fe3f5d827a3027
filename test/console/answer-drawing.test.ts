/** How an answer of the playground is drawn while it grows: in blocks, and as often as the page can bear. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withImagesCut } from '../../console/components/written-images.ts';
import { FrameQueue } from '../../console/pages/playground/frame-queue.ts';
import { markdownBlocks } from '../../console/pages/playground/markdown-blocks.ts';
import { assertQuick } from '../support/processor-time.ts';

const test = suite('console: a growing answer');

const markdown = [
  '# Title',
  '',
  'One',
  'paragraph.',
  '',
  '',
  '1. first',
  '',
  '   ```js',
  '   let a;',
  '',
  '   let b;',
  '   ```',
  '',
  '2. second',
  '',
  'Text',
  '',
  '```md',
  '~~~',
  '',
  '``',
  '```',
  'after',
  '',
  '- a',
  '- b',
  '',
  '  more of b',
  '',
  '| a |',
  '|---|',
].join('\n');

test('Markdown is cut between blocks, and never inside a list or code', () => {
  const blocks = markdownBlocks(markdown);
  assert.is(blocks.join('\n'), markdown);
  assert.equal(
    blocks.map((block) => block.split('\n')[0]),
    ['# Title', 'One', '1. first', 'Text', '```md', '- a', '| a |'],
  );
});

test('while Markdown grows, what stands above its end does not change', () => {
  let before: readonly string[] = [];
  for (let length = 1; length <= markdown.length; length += 1) {
    const blocks = markdownBlocks(markdown.slice(0, length));
    assert.is(blocks.join('\n'), markdown.slice(0, length));
    // A line that has only begun may still turn out to belong to the block above it.
    const settled = Math.max(0, before.length - 2);
    assert.equal(blocks.slice(0, settled), before.slice(0, settled), `at ${length}`);
    before = blocks;
  }
});

test('an unclosed fence is one block to the end, and a text with references stays whole', () => {
  assert.equal(markdownBlocks('a\n\n```\nb\n\nc'), ['a\n', '```\nb\n\nc']);
  const referring = 'See [x].\n\nMore\n\n[x]: https://example.com';
  assert.equal(markdownBlocks(referring), [referring]);
  assert.is(markdownBlocks('a\n\n```\n  [key]: 1,\n```\n\nb').length, 3, 'code refers to nothing');
});

test('a long list goes on in another block, from an item of its own that keeps its number', () => {
  const words = 'word '.repeat(100);
  const list = (mark: (place: number) => string) => {
    const items = Array.from({ length: 30 }, (_, place) => `${mark(place)} ${words}\n  - below\n\n  more`);
    const blocks = markdownBlocks(items.join('\n'));
    assert.is(blocks.join('\n'), items.join('\n'));
    return blocks.map((block) => block.slice(0, 3));
  };
  assert.equal(
    list(() => '-'),
    ['- w', '- w', '- w', '- w'],
  );
  assert.equal(
    list((place) => `${place + 1}.`),
    ['1. ', '9. ', '17.', '25.'],
  );
  assert.equal(
    list(() => '1.'),
    ['1. '],
    'as a list of its own it would begin with 1 again',
  );
});

test('what takes long to draw is drawn less often', async () => {
  const frames: ((now: number) => void)[] = [];
  const real = globalThis.requestAnimationFrame;
  globalThis.requestAnimationFrame = (run) => frames.push(run);
  try {
    const queue = new FrameQueue();
    const drawn: number[] = [];
    let costMs = 0;
    let now = 0;
    const drawAt = async (next: number) => {
      now = next;
      queue.add(() => {
        drawn.push(now);
        const end = performance.now() + costMs;
        while (performance.now() < end);
      });
      for (const run of frames.splice(0)) run(now);
      await new Promise((resolve) => setTimeout(resolve, 5));
    };
    for (const next of [0, 30, 2000]) await drawAt(next);
    assert.equal(drawn, [0, 2000, 2000]);
    costMs = 100;
    for (const next of [3000, 3060, 3290, 19_000]) await drawAt(next);
    assert.equal([...new Set(drawn)], [0, 2000, 3000, 19_000]);
  } finally {
    globalThis.requestAnimationFrame = real;
  }
});

test('images that stand in the words are cut out of them, but not of code, and drawings with text in them are not', async () => {
  const src = `data:image/png;base64,${'A'.repeat(3_000_000)}=`;
  await assertQuick(1000, () =>
    assert.equal(withImagesCut(`one ![a](${src})![b](${src})\n\ntwo`), [
      'one ',
      { alt: 'a', src },
      { alt: 'b', src },
      '\n\ntwo',
    ]),
  );
  const code = `\`\`\`md\n![a](${src})\n\`\`\``;
  assert.equal(withImagesCut(code), [code]);
  for (const other of [
    '![a](data:image/svg+xml;base64,AAAA)',
    '![a](https://example.org/a.png)',
    '![a](data:image/png;base64,AA',
  ]) {
    assert.equal(withImagesCut(other), [other]);
  }
});

test.run();
