import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { spool } from '../../../daemon/gateway/spooled-file.ts';

const test = suite<{ folder: string }>('files of a form');
test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), 'tollgate-spool-'));
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true }));

const megabyte = 1024 * 1024;
const pieces = (count: number) => Array.from({ length: count }, (_, index) => Buffer.alloc(megabyte / 4, index));

for (const [place, count] of [
  ['memory', 4],
  ['their folder', 5],
] as const) {
  test(`lie in ${place} with ${count / 4} megabytes, are read as often as asked for, and leave nothing`, async ({
    folder,
  }) => {
    let seen = 0;
    const whole = Buffer.concat(pieces(count));
    const file = await spool(Readable.from(pieces(count)), { folder, seen: (chunk) => void (seen += chunk.length) });
    assert.equal([file.size, seen], [whole.length, whole.length]);
    const [stored, ...more] = readdirSync(folder);
    assert.is(more.length, 0);
    assert.is(stored === undefined, count === 4);
    if (stored !== undefined) assert.is(statSync(join(folder, stored)).mode & 0o777, 0o600);
    for (const read of [await buffer(file.open()), await buffer(file.open()), await file.bytes()]) {
      assert.ok(whole.equals(read));
    }
    await file.discard();
    assert.equal(readdirSync(folder), []);
  });
}

test('are gone when the client breaks off', async ({ folder }) => {
  const source = Readable.from(
    (async function* () {
      yield* pieces(6);
      throw new Error('gone');
    })(),
  );
  const failed = await spool(source, { folder, seen: () => undefined }).then(
    () => false,
    () => true,
  );
  assert.ok(failed);
  assert.equal(readdirSync(folder), []);
});

test.run();
