/** WAV files: what is written is read again, whatever lies between the chunks, and samples at any rate keep their length. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readWav, samplesAt, wavHead, wavRate } from '../../../../daemon/relay/audio/wav-file.ts';
import * as sounds from '../../../support/sound-files.ts';

const test = suite('WAV files');

/** A tone of so many hertz, one second. */
function tone(rate: number, hertz: number): Buffer {
  const bytes = Buffer.alloc(rate * 2);
  for (let at = 0; at < rate; at += 1) {
    bytes.writeInt16LE(Math.round(20_000 * Math.sin((2 * Math.PI * hertz * at) / rate)), at * 2);
  }
  return bytes;
}

const loudest = (bytes: Buffer) =>
  Array.from({ length: bytes.length / 2 }, (_, at) => Math.abs(bytes.readInt16LE(at * 2))).reduce(
    (most, value) => Math.max(most, value),
    0,
  );

test('a header is read as it was written, whether the length was known or not', () => {
  const bytes = tone(24_000, 440);
  for (const head of [wavHead(24_000, bytes.length), wavHead(24_000)]) {
    assert.equal(readWav(Buffer.concat([head, bytes])), { bytes, channels: 1, rate: 24_000 });
  }
  const listed = readWav(sounds.wav(2));
  assert.equal([listed?.rate, listed?.bytes.length], [8000, 32_000]);
});

test('what is no file of 16 bits is none here, however it is cut', () => {
  const file = Buffer.concat([wavHead(16_000, 4), Buffer.alloc(4)]);
  const wide = Buffer.from(file);
  wide.writeUInt16LE(24, 34);
  const floats = Buffer.from(file);
  floats.writeUInt16LE(3, 20);
  const silent = Buffer.from(file);
  silent.writeUInt16LE(0, 22);
  // A megabyte of it would be made six days of sound.
  const slow = Buffer.concat([wavHead(1, 4), Buffer.alloc(4)]);
  for (const other of [wide, floats, silent, slow, sounds.flac(1), sounds.opus(1), Buffer.alloc(0)]) {
    assert.is(readWav(other), undefined);
  }
  for (let length = 0; length < 44; length += 1) assert.is(readWav(file.subarray(0, length)), undefined);
  assert.equal([wavRate(wide), wavRate(sounds.flac(1))], [16_000, undefined]);
});

test('samples at another rate last as long, sound the same, and have nothing of what is too high for them', () => {
  for (const rate of [8000, 11_025, 22_050, 24_000, 44_100, 48_000]) {
    const pieces = [...samplesAt({ bytes: tone(rate, 440), channels: 1, rate }, 16_000, 1000)];
    const made = Buffer.concat(pieces);
    assert.ok(Math.abs(made.length / 2 - 16_000) <= 1, String(rate));
    assert.ok(pieces.every((piece) => piece.length <= 2000));
    assert.ok(Math.abs(loudest(made) - 20_000) < 600, `${rate}: ${loudest(made)}`);
  }
  const high = Buffer.concat([...samplesAt({ bytes: tone(48_000, 16_000), channels: 1, rate: 48_000 }, 16_000, 1000)]);
  assert.ok(loudest(high) < 100, String(loudest(high)));
  const same = tone(16_000, 440);
  assert.equal(Buffer.concat([...samplesAt({ bytes: same, channels: 1, rate: 16_000 }, 16_000, 999)]), same);
});

test.run();
