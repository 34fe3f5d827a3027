/** Pictures made JPEG files for vendors that see nothing else. */
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TollgateError } from '../../../../daemon/errors.ts';
import { ImageLibrary } from '../../../../daemon/relay/pictures/image-library.ts';
import { JpegMaker } from '../../../../daemon/relay/pictures/jpeg-maker.ts';
import { alphaPng, png } from '../../../support/mask-files.ts';

const test = suite('pictures made JPEG');
const maker = new JpegMaker(new ImageLibrary());

interface Picture {
  readonly width: number;
  readonly height: number;
  /** Of its first pixel. */
  readonly color: readonly number[];
  readonly bytes: number;
}

async function made(file: Buffer): Promise<Picture> {
  const jpeg = await maker.make(file);
  if (!Buffer.isBuffer(jpeg)) throw jpeg;
  const { format } = await sharp(jpeg).metadata();
  assert.is(format, 'jpeg');
  const { data, info } = await sharp(jpeg).raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, color: [...data.subarray(0, 3)], bytes: jpeg.length };
}

async function refusal(file: Buffer): Promise<string> {
  const jpeg = await maker.make(file);
  return jpeg instanceof TollgateError ? `${jpeg.field} ${jpeg.code} ${jpeg.params.reason}` : 'none';
}

function plain(width: number, height: number, color: { r: number; g: number; b: number; alpha?: number }) {
  const { alpha = 1, ...rest } = color;
  return sharp({ create: { width, height, channels: 4, background: { ...rest, alpha } } });
}

const isNear = (color: readonly number[], wanted: readonly number[]) =>
  color.every((value, at) => Math.abs(value - (wanted[at] ?? -99)) <= 4);

const green = { r: 0, g: 200, b: 0 };

test('reads PNG, WebP and GIF files, and what is transparent becomes white', async () => {
  const files = [await plain(8, 8, green).png().toBuffer(), await plain(8, 8, green).webp().toBuffer()];
  files.push(await plain(8, 8, green).gif().toBuffer());
  for (const file of files) assert.ok(isNear((await made(file)).color, [0, 200, 0]));
  const clear = await plain(8, 8, { ...green, alpha: 0 })
    .png()
    .toBuffer();
  assert.ok(isNear((await made(clear)).color, [255, 255, 255]));
  const grey = png({ width: 1, height: 1, color: 0, bits: 16 }, Buffer.from([0, 0x80, 0]));
  assert.ok(isNear((await made(grey)).color, [128, 128, 128]));
  assert.equal((await made(alphaPng({ width: 2, opacity: [255, 255] }))).width, 2);
});

test('takes the first picture of a file that moves', async () => {
  const frames = await Promise.all([green, { r: 200, g: 0, b: 0 }].map((color) => plain(8, 8, color).png().toBuffer()));
  for (const file of [
    await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer(),
    await sharp(frames, { join: { animated: true } })
      .webp()
      .toBuffer(),
  ]) {
    const { width, height, color } = await made(file);
    assert.equal([width, height], [8, 8]);
    assert.ok(isNear(color, [0, 200, 0]));
  }
});

test('turns pictures upright and brings them to 1080p, lying or standing', async () => {
  const size = async (file: Buffer) => {
    const { width, height } = await made(file);
    return [width, height];
  };
  assert.equal(await size(await plain(3840, 2160, green).png().toBuffer()), [1920, 1080]);
  assert.equal(await size(await plain(1000, 4000, green).webp().toBuffer()), [480, 1920]);
  assert.equal(await size(await plain(64, 48, green).png().toBuffer()), [64, 48]);
  const turned = plain(300, 100, green).withMetadata({ orientation: 6 });
  assert.equal(await size(await turned.webp().toBuffer()), [100, 300]);
});

test('makes files that are small enough, whatever they show', async () => {
  const pixels = Buffer.alloc(2400 * 1600 * 3);
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = (at * 2_654_435_761) >>> 11;
  const noise = sharp(pixels, { raw: { width: 2400, height: 1600, channels: 3 } });
  const { bytes, width } = await made(await noise.png().toBuffer());
  assert.ok(bytes <= 192 * 1024, `${bytes} bytes`);
  assert.ok(width >= 640);
});

test('says what is amiss with a file that cannot be shown', async () => {
  const broken = 'item.content convert_request_failed item.content: the file is broken: save it anew, as a JPEG file';
  const whole = await plain(64, 64, green).png().toBuffer();
  assert.is(await refusal(whole.subarray(0, 60)), broken);
  assert.is(await refusal(Buffer.from('GIF89a')), broken);
  assert.match(
    await refusal(png({ width: 30_000, height: 30_000, color: 0 }, Buffer.alloc(8))),
    '30000x30000 is more than the 16777216 pixels (4096x4096) that this model can be shown: send the picture smaller',
  );
  // Less than it announces.
  assert.is(await refusal(png({ width: 4000, height: 4000, color: 0 }, Buffer.alloc(8))), broken);
});

test.run();
