/** What a client hears in the pauses of its stream, and what becomes of one that does not read (relay.md 17.4). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ClientStream, type ClientStreamConfig } from '../../../daemon/gateway/client-stream.ts';
import type { Sink } from '../../../daemon/gateway/exchange.ts';
import { Deadlines } from '../../../daemon/upstream/deadlines.ts';
import { until } from '../../support/until.ts';

/** The client's end: keeps what is written, and takes no more when it is told to. */
class FakeSink implements Sink {
  headersSent = false;
  readonly gone = false;
  readonly queuedBytes = 0;
  written: string[] = [];
  isFull = false;
  destroyed = false;
  drained: () => void = () => undefined;

  setHeader(): void {}
  replaceHeader(): void {}
  answer(): void {}
  end(): void {}
  onGone(): void {}

  start(): void {
    this.headersSent = true;
  }

  write(chunk: Buffer | string): boolean {
    this.written.push(chunk.toString());
    return !this.isFull;
  }

  destroy(): void {
    this.destroyed = true;
  }

  onDrain(listener: () => void): void {
    this.drained = listener;
  }
}

/** A stream whose client is watched by a clock that the test asks for its moments. */
function open(config: Partial<ClientStreamConfig> = {}) {
  const deadlines = new Deadlines();
  const sink = new FakeSink();
  const every = { surface: 'openai', framing: 'sse', pingMs: 60_000, writeTimeoutMs: 120_000 } as const;
  const stream = new ClientStream(sink, { ...every, ...config }, deadlines);
  stream.onDrain(() => undefined);
  const later = async () => {
    const before = deadlines.nowMs;
    await until(() => deadlines.nowMs > before);
    return deadlines.nowMs;
  };
  return { sink, stream, startMs: deadlines.nowMs, later };
}

const test = suite('stream to a client');

test('fills a pause with what the protocol of the client has for it', () => {
  const heard = (config: Partial<ClientStreamConfig>): string => {
    const { sink, stream, startMs } = open(config);
    stream.check(startMs + 60_001);
    stream.close();
    return sink.written.join('|');
  };
  assert.is(heard({}), ': PING\n\n');
  assert.is(heard({ surface: 'anthropic' }), 'event: ping\ndata: {"type": "ping"}\n\n');
  assert.is(heard({ surface: 'gemini' }), ': PING\n\n');
  assert.is(heard({ surface: 'gemini', framing: 'json-array' }), ' ');
  assert.is(heard({ framing: 'raw', contentType: 'audio/mpeg' }), '', 'a byte more would be heard');
  assert.is(heard({ pingMs: 0 }), '');
});

test('fills the pauses of an array between its elements with spaces, and those of bytes with nothing', () => {
  const array = open({ surface: 'gemini', framing: 'json-array' });
  array.stream.write(Buffer.from('data: {"a":1}\n\n'));
  array.stream.check(array.startMs + 60_001);
  array.stream.end(Buffer.from('data: {"b":2}\n\n'));
  assert.is(array.sink.written.join(''), '[{"a":1} ,\r\n{"b":2}]');
  const bytes = open({ framing: 'raw' });
  bytes.stream.write(Buffer.from('sound'));
  bytes.stream.check(bytes.startMs + 60_001);
  bytes.stream.close();
  assert.equal(bytes.sink.written, ['sound']);
});

test('counts a pause from the last write, and writes nothing once the stream is closed', async () => {
  const { sink, stream, startMs, later } = open();
  stream.check(startMs + 59_999);
  assert.equal(sink.written, []);
  const wroteMs = await later();
  stream.write(Buffer.from('data: 1\n\n'));
  stream.check(startMs + 60_000);
  assert.equal(sink.written, ['data: 1\n\n']);
  stream.check(wroteMs + 60_001);
  assert.equal(sink.written, ['data: 1\n\n', ': PING\n\n']);
  stream.close();
  stream.check(wroteMs + 600_000);
  assert.is(sink.written.length, 2);
});

test('does not take a comment for a part of the answer', () => {
  const { sink, stream, startMs } = open();
  stream.check(startMs + 60_001);
  assert.equal([sink.headersSent, stream.contentSent], [true, false]);
  stream.write(Buffer.from('data: 1\n\n'));
  assert.is(stream.contentSent, true);
  stream.close();
});

test('takes a client for gone that reads nothing for the time it has, whatever else is written to it', async () => {
  const { sink, stream, startMs, later } = open();
  sink.isFull = true;
  assert.not(stream.write(Buffer.from('data: 1\n\n')));
  await later();
  stream.write(Buffer.from('data: 2\n\n'));
  stream.check(startMs + 119_999);
  assert.equal([sink.destroyed, sink.written.length], [false, 2], 'nor is it sent comments that it does not read');
  stream.check(startMs + 120_001);
  assert.ok(sink.destroyed);
  stream.close();
});

test('gives a client the whole time again once it has read on', async () => {
  const { sink, stream, startMs, later } = open({ pingMs: 0 });
  sink.isFull = true;
  stream.write(Buffer.from('data: 1\n\n'));
  sink.drained();
  stream.check(startMs + 120_001);
  assert.not(sink.destroyed);
  const againMs = await later();
  stream.write(Buffer.from('data: 2\n\n'));
  stream.check(startMs + 120_001);
  assert.not(sink.destroyed);
  stream.check(againMs + 120_001);
  assert.ok(sink.destroyed);
  stream.close();
});

test.run();
