/** Masks made of OpenAI's transparency for vendors that read black and white. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ImageInput } from '../../../../daemon/relay/canonical/image.ts';
import { paintedMask } from '../../../../daemon/relay/formats/mask-image.ts';
import { alphaPng, png, shadesOf } from '../../../support/mask-files.ts';

const test = suite('masks');

function maskOf(file: Buffer): ImageInput {
  return { kind: 'inline', mediaType: 'image/png', data: file.toString('base64') };
}

function painted(file: Buffer, change: 'black' | 'white'): number[] {
  const mask = paintedMask(maskOf(file), change);
  return mask.kind === 'inline' ? shadesOf(Buffer.from(mask.data, 'base64')) : [];
}

test('paints what is transparent in one shade and the rest in the other', () => {
  const file = alphaPng({ width: 2, opacity: [0, 255, 255, 100, 128, 0] });
  assert.equal(painted(file, 'white'), [255, 0, 0, 255, 0, 255]);
  assert.equal(painted(file, 'black'), [0, 255, 255, 0, 255, 0]);
});

test('reads every filter, with and without colours, whatever the pixels', () => {
  const files = fc.integer({ min: 1, max: 9 }).chain((width) =>
    fc.record({
      width: fc.constant(width),
      rows: fc.array(fc.array(fc.integer({ min: 0, max: 255 }), { minLength: width, maxLength: width }), {
        minLength: 1,
        maxLength: 7,
      }),
      filters: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 7 }),
      colors: fc.constantFrom(1 as const, 3 as const),
    }),
  );
  const holds = fc.property(files, ({ rows, ...file }) => {
    const opacity = rows.flat();
    // Without any transparency there is nothing to paint.
    opacity[0] = 0;
    const shades = painted(alphaPng({ ...file, opacity }), 'white');
    assert.equal(
      shades,
      opacity.map((value) => (value < 128 ? 255 : 0)),
    );
  });
  fc.assert(holds, { numRuns: 300 });
});

test('leaves alone what has no transparency and what it cannot read', () => {
  const whole = alphaPng({ width: 3, opacity: [0, 255, 9] });
  const odd = Buffer.from(whole);
  odd[24] = 16;
  const wrongFilter = png({ width: 1, height: 1, color: 6 }, Buffer.from([7, 0, 0, 0, 0]));
  const files = [
    alphaPng({ width: 2, opacity: [255, 255] }),
    png({ width: 1, height: 1, color: 2 }, Buffer.from([0, 0, 0, 0])),
    png({ width: 1, height: 1, color: 6 }, Buffer.from([0, 0])),
    // Says less than it holds.
    png({ width: 1, height: 1, color: 6 }, Buffer.alloc(5000)),
    png({ width: 100_000, height: 100_000, color: 6 }, Buffer.alloc(10)),
    png({ width: 0, height: 7, color: 6 }, Buffer.alloc(10)),
    wrongFilter,
    odd,
    Buffer.from('ÿØÿà a photograph'),
    Buffer.alloc(0),
    ...Array.from({ length: whole.length }, (_, length) => whole.subarray(0, length)).filter(
      // Cut in the last chunk, it can still be read.
      (file) => file.length < whole.length - 24,
    ),
  ];
  for (const [index, file] of files.entries()) {
    const mask = maskOf(file);
    assert.is(paintedMask(mask, 'white'), mask, `file ${index}`);
  }
  const elsewhere: ImageInput = { kind: 'url', url: 'https://files.example/mask.png' };
  assert.is(paintedMask(elsewhere, 'black'), elsewhere);
});

test.run();
