/**
 * Every recorded stream of a dialect that clients speak, arriving in pieces of every size down to the single byte, as the
 * gateway reads it: framing and decoder together tell what they tell of whole events, one after the other. What is read
 * without a parser, because it only repeats the frame before it, depends on what arrives together.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AnswerEvents } from '../../daemon/gateway/answer-events.ts';
import type { ChatEvent } from '../../daemon/relay/canonical/event.ts';
import { joinPieces } from '../../daemon/relay/canonical/join-pieces.ts';
import type { ChatFormat } from '../../daemon/relay/format.ts';
import { chatFormats } from '../../daemon/relay/formats/index.ts';
import { frame, readStream, recordedCases } from './cases.ts';
import { testScope } from './scope.ts';
import { decodeAll } from './translate.ts';

const test = suite('recorded streams in pieces');

/** What is told of the bytes; how text is divided does not matter. */
function told(format: ChatFormat, bytes: Buffer, size: number): readonly ChatEvent[] {
  const events = new AnswerEvents(format.decodeStream(testScope()));
  const all: ChatEvent[] = [];
  for (let at = 0; at < bytes.length; at += size) all.push(...events.push(bytes.subarray(at, at + size)));
  return joinPieces([...all, ...events.end()]);
}

for (const one of recordedCases()) {
  const format = chatFormats.find(({ id }) => id === one.format);
  const bytes = readStream(one);
  if (format === undefined || bytes === undefined || one.status >= 400) continue;

  test(`${one.name} is read alike wherever it is cut`, () => {
    const expected = joinPieces(decodeAll(format, frame(bytes, bytes.length)));
    const sizes = bytes.length < 20_000 ? [1, 2, 3, 5, 7, 64, 999, bytes.length] : [1, 7, 333, 16_384, bytes.length];
    for (const size of sizes) assert.equal(told(format, bytes, size), expected, `${size} bytes at a time`);
  });
}

test.run();
