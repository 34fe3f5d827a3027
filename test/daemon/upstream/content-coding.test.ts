import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createDecoder } from '../../../daemon/upstream/content-coding.ts';

const test = suite('content codings');

test('are undone up to four deep, and not taken at their word beyond', async () => {
  const times = (count: number) => Array.from({ length: count }, () => 'gzip').join(', ');
  const decoder = createDecoder(`identity, ${times(4)}`);
  if (decoder === undefined) throw new Error('no decoder');
  decoder.end([1, 2, 3, 4].reduce((said: Buffer) => gzipSync(said), Buffer.from('said')));
  assert.is(String(await buffer(decoder)), 'said');
  assert.is(createDecoder(times(5)), undefined);
});

test.run();
