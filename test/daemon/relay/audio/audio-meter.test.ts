/** Lengths of sound files, however their bytes are cut. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AudioMeter } from '../../../../daemon/relay/audio/audio-meter.ts';
import { assertQuick } from '../../../support/processor-time.ts';
import * as sounds from '../../../support/sound-files.ts';

const test = suite('relay: lengths of sound');

function lengthOf(file: Buffer, step: number, form: 'pcm' | 'file' = 'file') {
  const meter = new AudioMeter(form);
  for (let at = 0; at < file.length; at += step) meter.push(file.subarray(at, at + step));
  return meter.facts();
}

const files: readonly (readonly [name: string, file: Buffer, seconds: number])[] = [
  ['wav', sounds.wav(3), 3],
  ['wav whose header was written first', sounds.wav(3, 0xffff_ffff), 3],
  ['wav whose header claims nothing', sounds.wav(3, 0), 3],
  ['wav that was cut', sounds.wav(3).subarray(0, 12 + 24 + 12 + 8 + 16_000), 1],
  ['flac', sounds.flac(7), 7],
  ['opus', sounds.opus(5), 5],
  ['opus behind opus', Buffer.concat([sounds.opus(5), sounds.opus(1), sounds.opus(2)]), 8],
  ['m4a', sounds.m4a(9), 9],
  ['webm', sounds.webm(4, 'whole'), 4],
  ['webm recorded live', sounds.webm(4, 'live'), 4],
  ['aiff', sounds.aiff(2), 2],
  ['amr', sounds.amr(2), 2],
  ['mp3', sounds.mp3(50), 1.2],
  ['aac', sounds.adts(25), 1.6],
];

test('reads the length of every kind, cut at every size', () => {
  for (const [name, file, seconds] of files) {
    for (const step of [1, 2, 3, 7, 64, 4096, file.length]) {
      const facts = lengthOf(file, step);
      assert.is(facts.estimated, false, `${name} by ${step}`);
      assert.ok(Math.abs(facts.seconds - seconds) < 0.001, `${name} by ${step}: ${facts.seconds}`);
    }
  }
});

test('reads frames of silence, each a single byte, wherever they are cut', () => {
  const [silence, speech] = [Buffer.from([15 << 3]), Buffer.concat([Buffer.from([7 << 3]), Buffer.alloc(31, 0x78)])];
  const frames = Array.from({ length: 500 }, (_, at) => (at % 7 === 0 ? speech : silence));
  for (const [head, size] of [
    ['#!AMR\n', 500],
    ['#!AMR-WB\n', undefined],
  ] as const) {
    const file = Buffer.concat([Buffer.from(head), ...frames]);
    const whole = lengthOf(file, file.length).seconds;
    if (size !== undefined) assert.ok(Math.abs(whole - size / 50) < 0.001, String(whole));
    for (const step of [1, 2, 3, 5, 64]) assert.is(lengthOf(file, step).seconds, whole, `${head} by ${step}`);
  }
});

test('holds nobody up over a recording of silence, a frame a byte', async () => {
  const file = Buffer.alloc(4_000_000, 15 << 3);
  file.write('#!AMR\n', 0, 'latin1');
  await assertQuick(900, () => lengthOf(file, 65_536));
});

test('counts frames behind bytes that are none, and none among those', () => {
  const [one, other] = [sounds.mp3(50).subarray(138), sounds.mp3(25).subarray(138)];
  // A header by chance, with nothing of the kind behind it.
  const stray = Buffer.alloc(200_000, 0);
  for (let at = 200; at + 400 < stray.length; at += 400) stray.writeUInt32BE(0xfff384c4, at);
  const tag = Buffer.from('ID3\x04\0\0\0\0\0\0', 'latin1');
  for (const between of [stray, Buffer.alloc(200_000)]) {
    const file = Buffer.concat([tag, one, between, other]);
    for (const step of [1, 7, 4096, file.length]) {
      const { seconds, estimated } = lengthOf(file, step);
      assert.ok(!estimated && Math.abs(seconds - 75 * 0.024) < 0.001, `by ${step}: ${seconds}`);
    }
  }
});

test('counts frames behind a first one that is shorter than what tells the kind of the file', () => {
  const short = Buffer.from(sounds.adts(1).subarray(0, 9));
  short.writeUInt8(1, 4);
  short.writeUInt8(0x20, 5);
  const { seconds } = lengthOf(Buffer.concat([short, sounds.adts(25)]), 4096);
  assert.ok(Math.abs(seconds - 26 * 0.064) < 0.001, String(seconds));
});

test('goes by what the samples of a WAV file are, whatever its header says of their bytes a second', () => {
  for (const claimed of [0, 1, 7777, 0xffff_ffff]) {
    const file = sounds.wav(3);
    file.writeUInt32LE(claimed, file.indexOf('fmt ') + 16);
    assert.equal(lengthOf(file, 4096), { seconds: 3, estimated: false }, String(claimed));
  }
});

test('counts samples without a container, and guesses where nothing can be read', () => {
  assert.equal(lengthOf(Buffer.alloc(96_000), 1000, 'pcm'), { seconds: 2, estimated: false });
  assert.equal(lengthOf(Buffer.alloc(32_000, 'x'), 1000), { seconds: 2, estimated: true });
  assert.equal(lengthOf(Buffer.alloc(0), 1), { seconds: 0, estimated: true });
  assert.is(lengthOf(Buffer.from('RIFF'), 1).estimated, true);
});

test('says something of any bytes and never fails', () => {
  for (const [, file] of files) {
    for (let round = 0; round < 200; round += 1) {
      const broken = Buffer.from(file);
      // A generator of our own, so that a failure can be repeated.
      for (let at = 0; at < 6; at += 1)
        broken[(round * 7919 + at * 104_729) % Math.min(broken.length, 400)] = (round * 31 + at * 17) & 255;
      const facts = lengthOf(broken.subarray(0, 3000 + round), 512);
      assert.ok(Number.isFinite(facts.seconds) && facts.seconds >= 0);
    }
  }
});

test.run();
