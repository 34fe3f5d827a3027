import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { WireEvent } from '../../../../daemon/relay/format.ts';
import {
  encodeEvents,
  encodeSse,
  MAX_EVENT_LENGTH,
  SseParser,
  SseSplitter,
} from '../../../../daemon/relay/framing/sse.ts';
import { isRefusal } from '../../../support/refusal-code.ts';

function parse(pieces: readonly Uint8Array[]): WireEvent[] {
  const parser = new SseParser();
  return [...pieces.flatMap((piece) => parser.push(piece)), ...parser.end()];
}

function split(pieces: readonly Buffer[]): string {
  const splitter = new SseSplitter();
  const out = pieces.map((piece) => splitter.push(piece)?.toString() ?? '');
  return out.join('') + (splitter.end()?.toString() ?? '');
}

/** Every way to cut the bytes in two, and all bytes one by one. */
function* cuts(bytes: Buffer): Generator<Buffer[]> {
  for (let at = 0; at <= bytes.length; at += 1) yield [bytes.subarray(0, at), bytes.subarray(at)];
  yield Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
}

const transcript = [
  'data: {"text":"héllo 👍🏽 世界"}',
  '',
  ': keep-alive',
  '',
  'event: delta',
  'id: 7',
  'data:first',
  'data:  second',
  '',
  'nocolon',
  'data: [DONE]',
  '',
  '',
];
const events: WireEvent[] = [
  { data: '{"text":"héllo 👍🏽 世界"}' },
  { event: 'delta', data: 'first\n second' },
  { data: '[DONE]' },
];

const parser = suite('SseParser');

for (const [name, lineEnd] of [
  ['line feeds', '\n'],
  ['carriage returns', '\r'],
  ['pairs of both', '\r\n'],
] as const) {
  parser(`reads the same events from ${name}, wherever the bytes are cut`, () => {
    const bytes = Buffer.from(transcript.join(lineEnd));
    for (const pieces of cuts(bytes)) assert.equal(parse(pieces), events);
  });
}

/** A parser of bodies that are there as a whole, by the standard's own words. */
function slowly(text: string): WireEvent[] {
  const found: WireEvent[] = [];
  let event: string | undefined;
  let data: string[] = [];
  for (const line of [...text.split('\n'), '']) {
    if (line === '') {
      if (data.length > 0) found.push({ ...(event === undefined ? {} : { event }), data: data.join('\n') });
      event = undefined;
      data = [];
    } else if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
    else if (line.startsWith('event:')) event = line.slice(line[6] === ' ' ? 7 : 6);
  }
  return found;
}

parser('reads any order of lines as the standard does, wherever the bytes are cut', () => {
  const lines = ['', '', 'data: a', 'data:b', 'data: ', 'data', 'dato: c', 'event: e', ': note', 'd'];
  let seed = 7;
  const next = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return lines[Math.floor((seed / 2 ** 31) * lines.length)];
  };
  for (let round = 0; round < 400; round += 1) {
    const text = Array.from({ length: 8 }, next).join('\n');
    const expected = slowly(text);
    for (const pieces of cuts(Buffer.from(text))) assert.equal(parse(pieces), expected, JSON.stringify(text));
  }
});

parser('ignores a byte order mark, also one that is cut', () => {
  const bytes = Buffer.from('\uFEFFdata: x\n\n');
  for (const pieces of cuts(bytes)) assert.equal(parse(pieces), [{ data: 'x' }]);
});

parser('gives the last event though its blank line is missing', () => {
  assert.equal(parse([Buffer.from('data: a\n\ndata: b')]), [{ data: 'a' }, { data: 'b' }]);
});

parser('gives an event as soon as its blank line has come', () => {
  const machine = new SseParser();
  assert.equal(machine.push(Buffer.from('data: a\r\n\r')), [{ data: 'a' }]);
  assert.equal(machine.push(Buffer.from('\ndata: b\n\n')), [{ data: 'b' }]);
});

parser('reads a line of 40 MiB in linear time', () => {
  const piece = Buffer.alloc(64 * 1024, 'a');
  const machine = new SseParser();
  machine.push(Buffer.from('data: '));
  for (let index = 0; index < 640; index += 1) machine.push(piece);
  const [event] = machine.push(Buffer.from('\n\n'));
  assert.is(event?.data.length, 40 * 1024 * 1024);
});

parser('refuses an event above the limit', () => {
  const piece = Buffer.alloc(1024 * 1024, 'a');
  const machine = new SseParser();
  assert.throws(() => {
    for (let index = 0; index <= MAX_EVENT_LENGTH / piece.length; index += 1) machine.push(piece);
  }, isRefusal('bad_response_body'));
});

parser('reads what encodeEvents writes, however long it is', () => {
  const said = [{ event: 'a', data: 'ü\n2' }, { data: `${'é'.repeat(2 * 1024 * 1024)}\n.` }, { data: '[DONE]' }];
  assert.ok(encodeEvents(said).equals(Buffer.concat(said.map(encodeSse))));
  assert.equal(parse([encodeEvents(said)]), said);
});

parser('reads what encodeSse writes', () => {
  const event = { event: 'error', data: '{"a":1}\n{"b":2}' };
  assert.equal(parse([encodeSse(event)]), [event]);
  assert.is(encodeSse({ data: 'x' }).toString(), 'data: x\n\n');
});

parser.run();

const splitter = suite('SseSplitter');

splitter('passes events byte for byte wherever they are cut', () => {
  const text = transcript.join('\n');
  for (const pieces of cuts(Buffer.from(text))) assert.is(split(pieces), text);
});

for (const [name, lineEnd] of [
  ['carriage returns', '\r'],
  ['pairs of both', '\r\n'],
] as const) {
  splitter(`turns ${name} into line feeds`, () => {
    for (const pieces of cuts(Buffer.from(transcript.join(lineEnd)))) assert.is(split(pieces), transcript.join('\n'));
  });
}

splitter('never gives a part of an event', () => {
  const bytes = Buffer.from(transcript.join('\n'));
  for (const pieces of cuts(bytes)) {
    const machine = new SseSplitter();
    for (const piece of pieces) {
      const slice = machine.push(piece);
      if (slice) assert.ok(slice.toString().endsWith('\n\n') || slice.toString() === '\n');
    }
  }
});

splitter('gives all complete events as one slice without copying them', () => {
  const bytes = Buffer.from('data: a\n\ndata: b\n\ndata: c');
  const slice = new SseSplitter().push(bytes);
  assert.is(slice?.toString(), 'data: a\n\ndata: b\n\n');
  assert.is(slice?.buffer, bytes.buffer);
});

splitter('completes the last event at the end of the body', () => {
  assert.is(split([Buffer.from('data: a')]), 'data: a\n\n');
  assert.is(split([Buffer.from('data: a\n')]), 'data: a\n\n');
});

splitter('drops a byte order mark', () => {
  for (const pieces of cuts(Buffer.from('\uFEFFdata: x\n\n'))) assert.is(split(pieces), 'data: x\n\n');
});

splitter('refuses an event above the limit', () => {
  const piece = Buffer.alloc(1024 * 1024, 'a');
  const machine = new SseSplitter();
  assert.throws(() => {
    for (let index = 0; index <= MAX_EVENT_LENGTH / piece.length; index += 1) machine.push(piece);
  }, isRefusal('bad_response_body'));
});

splitter.run();
