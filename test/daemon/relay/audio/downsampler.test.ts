import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Downsampler } from '../../../../daemon/relay/audio/downsampler.ts';
import { assertQuick } from '../../../support/processor-time.ts';

const test = suite('samples at 24 kHz, for 16 kHz');

function tone(hertz: number, seconds: number): Buffer {
  const bytes = Buffer.alloc(2 * 24_000 * seconds);
  for (let index = 0; index < bytes.length / 2; index += 1) {
    bytes.writeInt16LE(Math.round(20_000 * Math.sin((2 * Math.PI * hertz * index) / 24_000)), 2 * index);
  }
  return bytes;
}

/** The largest sample, but for the beginning, which follows upon silence. */
function peak(bytes: Buffer): number {
  let most = 0;
  for (let at = 200; at + 1 < bytes.length; at += 2) most = Math.max(most, Math.abs(bytes.readInt16LE(at)));
  return most;
}

test('keep what can be heard, at two samples for three', () => {
  const made = new Downsampler().push(tone(1000, 1));
  assert.ok(Math.abs(made.length / 2 - 16_000) < 20, String(made.length));
  assert.ok(Math.abs(peak(made) - 20_000) < 200, String(peak(made)));
  let crossings = 0;
  for (let at = 202; at + 1 < made.length; at += 2) {
    if (made.readInt16LE(at) >= 0 && made.readInt16LE(at - 2) < 0) crossings += 1;
  }
  assert.ok(Math.abs(crossings - 993) < 5, String(crossings));
});

test('lose what 16 kHz cannot carry, instead of hearing it as something else', () => {
  assert.ok(peak(new Downsampler().push(tone(10_500, 1))) < 400);
});

test('are the same however they are cut', () => {
  const whole = tone(700, 0.1);
  const expected = new Downsampler().push(whole);
  for (const size of [1, 2, 3, 7, 64, 999]) {
    const sampler = new Downsampler();
    const pieces: Buffer[] = [];
    for (let at = 0; at < whole.length; at += size) pieces.push(sampler.push(whole.subarray(at, at + size)));
    assert.equal(Buffer.concat(pieces), expected);
  }
  assert.is(new Downsampler().push(Buffer.alloc(0)).length, 0);
});

test('do not run over', () => {
  const loud = Buffer.alloc(4800);
  for (let at = 0; at < loud.length; at += 2) loud.writeInt16LE(at % 96 < 48 ? 32_767 : -32_768, at);
  assert.is(peak(new Downsampler().push(loud)), 32_768);
});

test('are made of the longest event that a session takes without keeping others waiting for long', async () => {
  const sound = Buffer.alloc(12 * 1024 * 1024, 17);
  // It took 1000.
  await assertQuick(400, () => new Downsampler().push(sound));
});

test.run();
