import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createDecoder } from '../../../daemon/upstream/content-coding.ts';
import { resolvesWithin, until } from '../../support/until.ts';

const test = suite('content codings');

function decoderOf(encoding: string): Transform {
  const decoder = createDecoder(encoding);
  if (decoder === undefined) throw new Error('no decoder');
  return decoder;
}

/** All that comes of it. */
function wholeOf(decoder: Transform): Promise<Buffer> {
  return resolvesWithin(5000, buffer(decoder));
}

const said = Buffer.from('said, '.repeat(5000));
const packed: readonly (readonly [encoding: string, bytes: Buffer])[] = [
  ['deflate', deflateSync(said)],
  ['Deflate', deflateRawSync(said)],
  ['gzip, br', brotliCompressSync(gzipSync(said))],
  ['br, x-gzip', gzipSync(brotliCompressSync(said))],
  ['identity', said],
];

/** More than all streams on the way have room for, as it is and packed. */
const long = randomBytes(2 * 1024 * 1024);
const longPacked: readonly (readonly [encoding: string, bytes: Buffer])[] = [
  ['deflate', deflateSync(long)],
  ['gzip, deflate', deflateSync(gzipSync(long))],
];

test('are undone up to four deep, and not taken at their word beyond', async () => {
  const times = (count: number) => Array.from({ length: count }, () => 'gzip').join(', ');
  const decoder = decoderOf(`identity, ${times(4)}`);
  decoder.end([1, 2, 3, 4].reduce((words: Buffer) => gzipSync(words), Buffer.from('said')));
  assert.is(String(await wholeOf(decoder)), 'said');
  assert.is(createDecoder(times(5)), undefined);
  assert.is(createDecoder('gzip, compress'), undefined);
});

test('end with the body, also where bytes follow those of the coding', async () => {
  for (const [encoding, bytes] of packed.slice(0, -1)) {
    const decoder = decoderOf(encoding);
    const whole = wholeOf(decoder);
    const body = Buffer.concat([bytes, Buffer.alloc(2)]);
    for (const piece of [body.subarray(0, 10), body.subarray(10, -1), body.subarray(-1)]) {
      decoder.write(piece);
      await sleep(5);
    }
    decoder.end();
    assert.ok((await whole).equals(said), encoding);
  }
});

test('are undone wherever the body is cut, and whoever reads', async () => {
  for (const [encoding, bytes] of packed) {
    const decoder = decoderOf(encoding);
    for (const byte of bytes.subarray(0, 30)) decoder.write(Buffer.of(byte));
    decoder.write(Buffer.alloc(0));
    decoder.end(bytes.subarray(30));
    assert.ok((await wholeOf(decoder)).equals(said), encoding);
  }
  const empty = decoderOf('deflate');
  empty.end();
  assert.is((await wholeOf(empty)).length, 0);
});

test('hold back what nobody reads, and the writer with it, and go on where they were', async () => {
  for (const [encoding, bytes] of longPacked) {
    const decoder = decoderOf(encoding);
    for (let at = 0; at < bytes.length; at += 16_384) decoder.write(bytes.subarray(at, at + 16_384));
    decoder.end();
    await until(() => decoder.readableLength > 0);
    await sleep(50);
    assert.ok(decoder.readableLength < 256 * 1024, `${encoding}: ${decoder.readableLength} bytes wait to be read`);
    assert.ok(
      decoder.writableLength > long.length / 2,
      `${encoding}: ${decoder.writableLength} bytes wait to be taken`,
    );
    let read = 0;
    for (const most of [long.length / 4, long.length / 2]) {
      decoder.on('data', (piece: Buffer) => {
        read += piece.length;
        if (read >= most) decoder.pause();
      });
      await until(() => decoder.isPaused());
      await sleep(20);
      assert.ok(decoder.readableLength < 256 * 1024, encoding);
      decoder.removeAllListeners('data');
    }
    const rest = await wholeOf(decoder);
    assert.is(read + rest.length, long.length, encoding);
  }
});

test('unpack no more than is read of a few bytes that grow to many', async () => {
  const decoder = decoderOf('deflate');
  decoder.end(deflateSync(Buffer.alloc(32 * 1024 * 1024)));
  await until(() => decoder.readableLength > 0);
  await sleep(50);
  assert.ok(decoder.readableLength < 256 * 1024, `${decoder.readableLength} bytes wait to be read`);
  decoder.destroy();
});

test('tell of what is broken, and of what ends too soon', async () => {
  for (const [encoding, bytes] of packed.slice(0, -1)) {
    const cut = decoderOf(encoding);
    cut.resume();
    const failed = once(cut, 'error');
    cut.end(bytes.subarray(0, -8));
    await resolvesWithin(5000, failed);
    const broken = decoderOf(encoding);
    broken.resume();
    const told = once(broken, 'error');
    broken.end(Buffer.concat([Buffer.from([0x78, 0x9c]), Buffer.alloc(40, 0xff)]));
    await resolvesWithin(5000, told);
  }
});

test.run();
