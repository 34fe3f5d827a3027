import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openingPortion, Portions } from '../../../daemon/gateway/portions.ts';

const test = suite('gateway/portions');

/** Reads as much as it is allowed, and notes what happened. */
function scene(allowed: number[]) {
  const happened: string[] = [];
  const portions = new Portions(
    () => allowed.shift() ?? 0,
    (events) => void happened.push(events.toString()),
  );
  return { portions, happened, end: () => portions.end(() => void happened.push('end')) };
}

test('reads a piece in the portions it is allowed, and the rest of it before what comes later', () => {
  const allowed = [2, 1, 0];
  const { portions, happened } = scene(allowed);
  portions.offer(Buffer.from('abcdef'));
  portions.offer(Buffer.from('ghi'));
  assert.equal(happened, ['ab', 'c']);
  allowed.push(100, 2, 0);
  portions.goOn();
  assert.equal(happened, ['ab', 'c', 'def', 'gh']);
  allowed.push(100);
  portions.goOn();
  assert.equal(happened, ['ab', 'c', 'def', 'gh', 'i']);
  allowed.push(100);
  portions.offer(Buffer.from('j'));
  assert.is(happened.at(-1), 'j');
});

test('comes to its end behind what is still unread, and at once where nothing is', () => {
  const allowed = [1, 0];
  const { portions, happened, end } = scene(allowed);
  portions.offer(Buffer.from('ab'));
  end();
  portions.goOn();
  assert.equal(happened, ['a']);
  allowed.push(1);
  portions.goOn();
  portions.goOn();
  assert.equal(happened, ['a', 'b', 'end']);
  const empty = scene([]);
  empty.portions.offer(Buffer.alloc(0));
  empty.end();
  assert.equal(empty.happened, ['end']);
});

test('reads nothing more once it is dropped, even by what it reads', () => {
  const happened: string[] = [];
  const portions: Portions = new Portions(
    () => 1,
    (events) => {
      happened.push(events.toString());
      if (happened.length === 2) portions.drop();
    },
  );
  portions.offer(Buffer.from('abcdef'));
  portions.goOn();
  assert.equal(happened, ['a', 'b']);
});

const event = (text: string) => `data: {"delta":{"content":"${text}"}}\n\n`;

test('opens a stream by whole events, and by all of them where they say little', () => {
  const little = Buffer.from(event('hello').repeat(20));
  assert.is(openingPortion(little), little.length);
  const much = Buffer.from(
    Array.from({ length: 100 }, (_, at) => event(`${at} the quick brown fox `.repeat(8))).join(''),
  );
  const portion = openingPortion(much);
  assert.ok(portion > 0 && portion < 2048, String(portion));
  assert.is(much.subarray(portion - 2, portion).toString(), '\n\n');
  const page = Buffer.from(event('the quick brown fox '.repeat(500)) + event('jumps'));
  assert.is(openingPortion(page), event('the quick brown fox '.repeat(500)).length);
});

test('finds the ends of events whose lines end with returns, and where a piece begins inside such an end', () => {
  const said = Array.from({ length: 100 }, (_, at) => event(`${at} the quick brown fox `.repeat(8))).join('');
  for (const before of ['', '\n', '\r\n', '\n\r\n']) {
    const piece = Buffer.from(before + said.replaceAll('\n', '\r\n'));
    const portion = openingPortion(piece);
    assert.ok(portion > 0 && portion < 2048, String(portion));
    assert.is(piece.subarray(portion - 4, portion).toString(), '\r\n\r\n');
  }
});

test.run();
