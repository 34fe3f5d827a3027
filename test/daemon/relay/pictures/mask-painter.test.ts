import { deflateSync } from 'node:zlib';
import * as fc from 'fast-check';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TollgateError } from '../../../../daemon/errors.ts';
import type { MaskShade } from '../../../../daemon/relay/canonical/image.ts';
import { ImageLibrary } from '../../../../daemon/relay/pictures/image-library.ts';
import { MaskPainter } from '../../../../daemon/relay/pictures/mask-painter.ts';
import { alphaPng, chunk, png, shadesOf } from '../../../support/mask-files.ts';

const test = suite('masks');
const painter = new MaskPainter(new ImageLibrary());

async function painted(file: Buffer, change: MaskShade): Promise<number[]> {
  const mask = await painter.paint(file, change);
  if (!Buffer.isBuffer(mask)) throw mask ?? new Error('not painted');
  return shadesOf(mask);
}

async function refusal(file: Buffer): Promise<string> {
  const mask = await painter.paint(file, 'white');
  return mask instanceof TollgateError ? `${mask.field} ${mask.code} ${mask.params.reason}` : 'none';
}

test('paints what is transparent in one shade and the rest in the other', async () => {
  const file = alphaPng({ width: 2, opacity: [0, 255, 255, 100, 128, 0] });
  assert.equal(await painted(file, 'white'), [255, 0, 0, 255, 0, 255]);
  assert.equal(await painted(file, 'black'), [0, 255, 255, 0, 255, 0]);
});

test('reads every filter, with and without colours, whatever the pixels', async () => {
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
  const holds = fc.asyncProperty(files, async ({ rows, ...file }) => {
    const opacity = rows.flat();
    // Without any transparency there is nothing to paint.
    opacity[0] = 0;
    const shades = await painted(alphaPng({ ...file, opacity }), 'white');
    assert.equal(
      shades,
      opacity.map((value) => (value < 128 ? 255 : 0)),
    );
  });
  await fc.assert(holds, { numRuns: 300 });
});

/** Pixels of 16 bits a channel. */
const deep = (...pixels: readonly number[]) => pixels.flatMap((value) => [value >> 8, value & 255]);
const palette = chunk('PLTE', Buffer.from([1, 1, 1, 2, 2, 2, 3, 3, 3]));

const kinds: Readonly<Record<string, Buffer>> = {
  'colours and opacity of 16 bits': png(
    { width: 2, height: 1, color: 6, bits: 16 },
    Buffer.from([0, ...deep(1, 2, 3, 0x10ff), ...deep(1, 2, 3, 0xffff)]),
  ),
  'grey and opacity of 16 bits': png(
    { width: 2, height: 1, color: 4, bits: 16 },
    Buffer.from([0, ...deep(1, 0x7000), ...deep(1, 0x9000)]),
  ),
  'a palette of two bits, some of it transparent': png(
    { width: 2, height: 1, color: 3, bits: 2, chunks: [palette, chunk('tRNS', Buffer.from([255, 0]))] },
    Buffer.from([0, 0b01_10_0000]),
  ),
  'a palette of eight bits': png(
    { width: 2, height: 1, color: 3, chunks: [palette, chunk('tRNS', Buffer.from([90]))] },
    Buffer.from([0, 0, 2]),
  ),
  'one transparent shade of one bit': png(
    { width: 2, height: 1, color: 0, bits: 1, chunks: [chunk('tRNS', Buffer.from(deep(1)))] },
    Buffer.from([0, 0b10_000000]),
  ),
  'one transparent shade of 16 bits': png(
    { width: 2, height: 1, color: 0, bits: 16, chunks: [chunk('tRNS', Buffer.from(deep(0x0102)))] },
    Buffer.from([0, ...deep(0x0102, 0x0103)]),
  ),
  'one transparent colour': png(
    { width: 2, height: 1, color: 2, chunks: [chunk('tRNS', Buffer.from(deep(7, 8, 9)))] },
    Buffer.from([0, 7, 8, 9, 7, 8, 8]),
  ),
  // Of two pixels the first comes in the first pass, the second in the sixth.
  'seven passes': png(
    { width: 2, height: 1, color: 6, interlaced: true },
    Buffer.from([0, 1, 2, 3, 0, 0, 1, 2, 3, 255]),
  ),
  'WebP, which has opacity too': await sharp(Buffer.from([1, 2, 3, 0, 1, 2, 3, 255]), {
    raw: { width: 2, height: 1, channels: 4 },
  })
    .webp({ lossless: true })
    .toBuffer(),
};
for (const [name, file] of Object.entries(kinds)) {
  test(`paints ${name}`, async () => assert.equal(await painted(file, 'white'), [255, 0]));
}

test('leaves alone what has no transparency, and what is no file of OpenAI’s masks', async () => {
  const files = [
    alphaPng({ width: 2, opacity: [255, 255] }),
    png({ width: 1, height: 1, color: 2 }, Buffer.from([0, 0, 0, 0])),
    // Nothing is painted, so that the size does not matter.
    png({ width: 60_000, height: 60_000, color: 0, bits: 1 }, Buffer.alloc(10)),
    Buffer.from('ÿØÿà a photograph', 'latin1'),
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>'),
    Buffer.alloc(0),
  ];
  for (const [index, file] of files.entries()) {
    assert.is(await painter.paint(file, 'white'), undefined, `file ${index}`);
  }
});

test('refuses files that cannot be read to their end, and says what to do', async () => {
  const whole = alphaPng({ width: 3, opacity: [0, 255, 9] });
  const files = [
    png({ width: 1, height: 1, color: 6 }, Buffer.from([0, 0])),
    png({ width: 0, height: 7, color: 6 }, Buffer.alloc(10)),
    png({ width: 1, height: 1, color: 6 }, Buffer.from([7, 0, 0, 0, 0])),
    ...Array.from({ length: whole.length }, (_, length) => whole.subarray(0, length)).filter(
      // Shorter it is no PNG file; cut in the last chunk, it can still be read.
      ({ length }) => length >= 4 && length < whole.length - 24,
    ),
  ];
  for (const [index, file] of files.entries()) {
    assert.match(
      await refusal(file),
      /^mask convert_request_failed mask: the file is broken: save it anew/,
      `file ${index}`,
    );
  }
});

test('refuses masks of more pixels than it paints, whatever else they say of themselves', async () => {
  const large = png({ width: 4097, height: 4096, color: 6 }, Buffer.alloc(10));
  assert.match(await refusal(large), /4097x4096 is more than the 16777216 pixels .* send image and mask smaller, or/);
  const huge = png({ width: 100_000, height: 100_000, color: 6, bits: 16, interlaced: true }, Buffer.alloc(10));
  assert.match(await refusal(huge), /100000x100000 is more/);
});

test('reads no more of a file than its size announces', async () => {
  const zeros = deflateSync(Buffer.alloc(200_000_000));
  const profile = chunk('iCCP', Buffer.concat([Buffer.from('a\0\0'), zeros]));
  const text = chunk('zTXt', Buffer.concat([Buffer.from('a\0\0'), zeros]));
  const pixel = { width: 1, height: 1, color: 6 };
  const files = [
    png(pixel, Buffer.alloc(200_000_000)),
    png({ ...pixel, interlaced: true }, Buffer.alloc(200_000_000)),
    png({ ...pixel, chunks: [profile, text] }, Buffer.alloc(5)),
  ];
  const before = process.resourceUsage().maxRSS;
  for (const file of files) assert.equal(await painted(file, 'white'), [255]);
  const kilobytes = process.resourceUsage().maxRSS - before;
  assert.ok(kilobytes < 50_000, `${kilobytes} kB more at the most`);
});

test('paints masks that come together one after the other, and goes on after a broken one', async () => {
  const broken = png({ width: 1, height: 1, color: 6 }, Buffer.from([0, 0]));
  const file = alphaPng({ width: 2, opacity: [0, 255] });
  const done = await Promise.all([file, broken, file].map((mask) => painter.paint(mask, 'black')));
  assert.equal(
    done.map((mask) => (Buffer.isBuffer(mask) ? shadesOf(mask) : mask instanceof Error)),
    [[0, 255], true, [0, 255]],
  );
});

test.run();
