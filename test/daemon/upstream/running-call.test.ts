/** One call to an upstream: its deadlines, at moments that the test names (relay.md 17.4), and its end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Deadlines } from '../../../daemon/upstream/deadlines.ts';
import { Reading } from '../../../daemon/upstream/reading.ts';
import { type CallTimeouts, RunningCall } from '../../../daemon/upstream/running-call.ts';
import { noTimeouts, ReplyCollector } from '../../support/reply-collector.ts';
import { until } from '../../support/until.ts';

/** A call whose upstream is the test. */
function begin(timeouts: Partial<CallTimeouts>) {
  const deadlines = new Deadlines();
  const reply = new ReplyCollector();
  const surroundings = { deadlines, reading: new Reading('own') };
  const call = new RunningCall(reply, { ...noTimeouts, ...timeouts }, surroundings);
  call.onConnect(() => undefined);
  const later = async () => {
    const before = deadlines.nowMs;
    await until(() => deadlines.nowMs > before);
    return deadlines.nowMs;
  };
  const answers = () => call.onHeaders(200, [], () => undefined);
  /** How the call ended by then. */
  const endedAt = (nowMs: number) => {
    call.check(nowMs);
    return reply.error?.kind;
  };
  return { call, reply, startMs: deadlines.nowMs, later, answers, endedAt };
}

const test = suite('a call to an upstream');

test('waits for the headers no longer than it may, and after them for as long as the answer goes on', () => {
  const silent = begin({ headersMs: 5000 });
  assert.is(silent.endedAt(silent.startMs + 4999), undefined);
  assert.is(silent.endedAt(silent.startMs + 5001), 'headers-timeout');
  const begun = begin({ headersMs: 5000 });
  begun.answers();
  assert.is(begun.endedAt(begun.startMs + 50_000), undefined);
  begun.call.abort();
});

test('waits for the first token from the start, headers or not, until it is told of one', () => {
  const mute = begin({ firstTokenMs: 5000 });
  mute.answers();
  mute.call.onData(Buffer.from('data: {}\n\n'));
  assert.is(mute.endedAt(mute.startMs + 4999), undefined);
  assert.is(mute.endedAt(mute.startMs + 5001), 'first-token-timeout');
  const speaking = begin({ firstTokenMs: 5000 });
  speaking.answers();
  speaking.call.tokenSeen();
  assert.is(speaking.endedAt(speaking.startMs + 50_000), undefined);
  speaking.call.abort();
});

test('counts silence within the answer alone, and from its last byte', async () => {
  const { call, startMs, later, answers, endedAt } = begin({ idleMs: 5000 });
  assert.is(endedAt(startMs + 50_000), undefined, 'before the answer other deadlines count');
  answers();
  const byteMs = await later();
  call.onData(Buffer.from('a'));
  assert.is(endedAt(startMs + 5000), undefined);
  assert.is(endedAt(byteMs + 5001), 'idle-timeout');
});

test('does not blame an upstream for a client that is slow, and counts its silence anew once that reads on', async () => {
  const { call, startMs, later, answers, endedAt } = begin({ idleMs: 5000 });
  answers();
  call.onData(Buffer.from('a'));
  call.pause(Number.POSITIVE_INFINITY);
  assert.is(endedAt(startMs + 50_000), undefined);
  const resumedMs = await later();
  call.resume();
  assert.is(endedAt(startMs + 5000), undefined);
  assert.is(endedAt(resumedMs + 5001), 'idle-timeout');
});

test('ends the longest answer there may be, though it never paused and though its client does', () => {
  for (const isPaused of [false, true]) {
    const { call, startMs, answers, endedAt } = begin({ totalMs: 9000, idleMs: 60_000 });
    answers();
    call.tokenSeen();
    if (isPaused) call.pause(Number.POSITIVE_INFINITY);
    assert.is(endedAt(startMs + 8999), undefined);
    assert.is(endedAt(startMs + 9001), 'total-timeout');
  }
});

test('lets the connection of an answer that is over alone, whoever reads on late', () => {
  const { call } = begin({});
  let resumed = 0;
  call.onHeaders(200, [], () => {
    resumed += 1;
  });
  call.onData(Buffer.from('a'));
  call.pause(Number.POSITIVE_INFINITY);
  call.resume();
  assert.is(resumed, 1);
  call.onComplete();
  call.resume();
  assert.is(resumed, 1);
});

test('reads a compressed answer on once a receiver that was full takes more', async () => {
  const said = Buffer.alloc(2_000_000, 'to be said ');
  const packed = gzipSync(said);
  const third = Math.floor(packed.length / 3);
  const { call, reply } = begin({});
  let asksForMore = 0;
  let held = 0;
  const take = reply.onData.bind(reply);
  reply.onData = (chunk) => {
    take(chunk);
    held += chunk.length;
    call.pause(held);
  };
  const headers = ['content-encoding', 'gzip'].map((text) => Buffer.from(text));
  call.onHeaders(200, headers, () => {
    asksForMore += 1;
  });
  call.onData(packed.subarray(0, third));
  await until(() => held > 64 * 1024);
  // The decoder has room for these few bytes, so it will not ask for more; who is full stops the upstream.
  assert.not(call.onData(packed.subarray(third, 2 * third)));
  assert.is(asksForMore, 0);
  held = 0;
  call.resume();
  assert.is(asksForMore, 1);
  call.onData(packed.subarray(2 * third));
  call.onComplete();
  while (reply.text.length < said.length) {
    await sleep(1);
    held = 0;
    call.resume();
  }
  await reply.done;
  assert.is(reply.text, said.toString());
  assert.is(asksForMore, 1, 'the connection may carry another call by then');
});

test.run();
