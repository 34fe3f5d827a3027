import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readImageSize } from '../../../../daemon/relay/tokens/image-size.ts';
import { imageTokens, madeImageTokens } from '../../../../daemon/relay/tokens/image-tokens.ts';

const tokens = (model: string, width?: number, height?: number, detail?: string) =>
  imageTokens(model, { size: width && height ? { width, height } : undefined, detail });

const test = suite('images');

test('cost what the worked examples say', () => {
  assert.is(tokens('gpt-4o', 1024, 1024, 'high'), 765);
  assert.is(tokens('gpt-4o', 2048, 4096, 'high'), 1105);
  assert.is(tokens('gpt-4o', 5000, 5000, 'low'), 85);
  assert.is(tokens('gpt-4o', 512, 512), 255);
  assert.is(tokens('gpt-4.1-mini', 1024, 1024), 1659);
  assert.is(tokens('o4-mini', 1800, 2400), 2498);
  assert.is(tokens('gpt-4o'), 255);
});

test('cost what each family’s formula says', () => {
  assert.is(tokens('gpt-4o-mini', 512, 512), 2833 + 5667);
  assert.is(tokens('gpt-5', 512, 512), 210);
  assert.is(tokens('gpt-5-mini'), Math.ceil(1536 * 1.62));
  assert.is(tokens('gpt-5-nano', 32, 32), 3);
  assert.is(tokens('o3', 512, 512), 225);
  assert.is(tokens('claude-opus-4-5', 1000, 600), 800);
  assert.is(tokens('claude-opus-4-5', 4000, 4000), 1600);
  assert.is(tokens('claude-opus-4-5'), 1000);
  assert.is(tokens('gemini-2.5-pro', 384, 384), 258);
  assert.is(tokens('gemini-2.5-pro', 1600, 800), 258 * 6);
  assert.is(tokens('gemini-2.5-pro'), 520);
  assert.is(tokens('glm-4v-plus', 10, 10), 1047);
  assert.is(tokens('openai/gpt-4o', 512, 512), 255);
  assert.is(tokens('qwen-vl', 10, 10), 520);
});

test('are cut by the side that is too long, whichever it is', () => {
  assert.is(tokens('gpt-4o', 2100, 600), 85 + 170 * 8, '2048 by 585');
  assert.equal([tokens('o4-mini', 1800, 2400), tokens('o4-mini', 2400, 1800)], [2498, 2498]);
  assert.equal(
    [tokens('gemini-2.5-pro', 384, 800), tokens('gemini-2.5-pro', 800, 384), tokens('gemini-2.5-pro', 768, 768)],
    [258 * 2, 258 * 2, 258],
  );
  assert.is(tokens('gemini-2.5-pro', 8000, 8000), 258 * 16);
});

test('that a Gemini made count by its generation, and those of others not as tokens', () => {
  const names = ['gemini-2.5-flash-image', 'google/gemini-3-pro-image', 'gemini-2.0-flash-exp', 'gpt-4o'];
  assert.equal(names.map(madeImageTokens), [1290, 1290, 258, 0]);
});

test('show their size in the first bytes of every format', () => {
  const size = { width: 640, height: 480 };
  const bytes = (length: number, write: (buffer: Buffer) => void) => {
    const buffer = Buffer.alloc(length);
    write(buffer);
    return buffer;
  };
  const gif = bytes(10, (b) => {
    b.write('GIF89a');
    b.writeUInt16LE(640, 6);
    b.writeUInt16LE(480, 8);
  });
  const bmp = bytes(26, (b) => {
    b.write('BM');
    b.writeInt32LE(640, 18);
    b.writeInt32LE(-480, 22);
  });
  const jpeg = Buffer.concat([
    Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x00, 0x04, 0x00, 0x00, 0xff, 0xff, 0xc2, 0x00, 0x11, 0x08]),
    Buffer.from([0x01, 0xe0, 0x02, 0x80, 0x03, 0x00]),
  ]);
  const webp = (kind: string, write: (buffer: Buffer) => void) =>
    bytes(30, (b) => {
      b.write('RIFF', 0);
      b.write(`WEBP${kind}`, 8);
      write(b);
    });
  const lossy = webp('VP8 ', (b) => {
    b.writeUInt16LE(640, 26);
    b.writeUInt16LE(480, 28);
  });
  const lossless = webp('VP8L', (b) => b.writeUInt32LE(639 | (479 << 14), 21));
  const extended = webp('VP8X', (b) => {
    b.writeUIntLE(639, 24, 3);
    b.writeUIntLE(479, 27, 3);
  });
  const avif = bytes(60, (b) => {
    b.write('ftypavif', 4);
    b.write('ispe', 20);
    b.writeUInt32BE(64, 28);
    b.writeUInt32BE(48, 32);
    b.write('ispe', 40);
    b.writeUInt32BE(640, 48);
    b.writeUInt32BE(480, 52);
  });
  for (const file of [gif, bmp, jpeg, lossy, lossless, extended, avif]) assert.equal(readImageSize(file), size);
  assert.is(readImageSize(Buffer.from('no image at all, but long enough')), undefined);
  for (let length = 0; length < 30; length += 1) {
    for (const file of [gif, bmp, jpeg, lossy, avif]) readImageSize(file.subarray(0, length));
  }
});

test.run();
