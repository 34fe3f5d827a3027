import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PieceList } from '../../../../daemon/relay/framing/piece-list.ts';
import { fullCollection } from '../../../../daemon/telemetry/idle-memory.ts';

const pieces = suite('relay/framing/piece-list');

/** Cuts bytes at these sizes, over and over. */
function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = sizes[parts.length % sizes.length] ?? 1;
    parts.push(bytes.subarray(at, at + size));
    at += size;
  }
  return parts;
}

pieces('give back every byte in its place, however they were cut', () => {
  const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7) % 251));
  for (const sizes of [[100_000], [1], [3, 5000, 1], [1023, 1024], [1, 1, 1, 1, 1, 20_000], [16_384, 2]]) {
    const list = new PieceList();
    for (const part of cut(bytes, sizes)) list.push(part);
    assert.is(list.length, bytes.length);
    assert.is(list.lastByte, bytes.at(-1));
    assert.ok(list.take().equals(bytes), sizes.join());
    assert.is(list.length, 0);
    assert.is(list.lastByte, undefined);
    list.push(Buffer.from('again'));
    assert.is(list.take().toString(), 'again');
  }
});

pieces('hand out a single one as it is', () => {
  const list = new PieceList();
  const only = Buffer.from('only');
  list.push(only);
  list.push(Buffer.alloc(0));
  assert.is(list.take(), only);
  assert.is(list.take().length, 0);
});

pieces('cost about their own size where each is one byte', () => {
  const collect = fullCollection();
  const used = () => {
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const source = Buffer.alloc(500_000);
  const list = new PieceList();
  const before = used();
  for (let at = 0; at < source.length; at += 1) list.push(source.subarray(at, at + 1));
  const kept = used() - before;
  // Kept one by one they are fifty megabytes of objects.
  assert.ok(kept < 5_000_000, `${kept} bytes`);
  assert.is(list.take().length, source.length);
});

pieces.run();
