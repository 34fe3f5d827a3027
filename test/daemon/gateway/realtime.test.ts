/** A realtime session between two ends that do as told, on a clock that does too. */
import { EventEmitter } from 'node:events';
import { mock } from 'node:test';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { WebSocketLike } from '../../../daemon/gateway/frame-socket.ts';
import { runSession, type SessionDeps, type SessionEnd } from '../../../daemon/gateway/realtime.ts';
import { RunningWork } from '../../../daemon/gateway/running-work.ts';
import type { Watched } from '../../../daemon/upstream/deadlines.ts';
import { gate } from '../../support/gate.ts';
import { someTurns } from '../../support/until.ts';

const MIB = 1024 * 1024;

/** One end: what it was told, and how much of that it has not taken yet. */
class End extends EventEmitter implements WebSocketLike {
  readonly told: string[] = [];
  bufferedAmount = 0;
  pings = 0;
  isPaused = true;
  readyState = 1;
  closedWith: number | undefined;
  isTerminated = false;
  closedFor: string | undefined;
  #sent: (() => void)[] = [];

  send(text: string, sent: () => void): void {
    this.told.push(text);
    this.bufferedAmount += text.length;
    this.#sent.push(sent);
  }

  /** The far side takes all but so many bytes. */
  takes(leaving = 0): void {
    this.bufferedAmount = leaving;
    const [first, ...rest] = this.#sent;
    this.#sent = leaving === 0 ? [] : rest;
    for (const sent of leaving === 0 ? [first, ...rest] : [first]) sent?.();
  }

  says(text: string): void {
    this.emit('message', Buffer.from(text), false);
  }

  ping(): void {
    this.pings += 1;
  }
  pause(): void {
    this.isPaused = true;
  }
  resume(): void {
    this.isPaused = false;
  }
  close(code: number, reason: string): void {
    this.closedWith = code;
    this.closedFor = reason;
  }
  terminate(): void {
    this.isTerminated = true;
    this.closedWith ??= 1006;
  }
}

interface Manner {
  readonly idleMs: number;
  readonly maxMs: number;
  readonly review: SessionDeps['bill']['review'];
  readonly turn: SessionDeps['bill']['turn'];
}

/** A session under way. */
class Running {
  readonly client = new End();
  readonly upstream = new End();
  /** What is told of the client's connection. */
  readonly connection = { isBehind: () => false, isBroken: () => false };
  readonly work = new RunningWork();
  end: SessionEnd | undefined;
  #nowMs = 1000;
  #watched: Watched | undefined;

  constructor({
    idleMs = 0,
    maxMs = 0,
    review = async () => undefined,
    turn = async () => undefined,
  }: Partial<Manner> = {}) {
    const nothing = { usage: undefined, charge: 0, cost: 0 };
    const now = () => this.#nowMs;
    const session = runSession(
      {
        deadlines: {
          get nowMs() {
            return now();
          },
          watch: (watched) => {
            this.#watched = watched;
            return 0;
          },
          forget: () => {
            this.#watched = undefined;
          },
        },
        work: this.work,
        bill: { turn, review, close: async () => nothing },
        jpegs: { make: () => Promise.reject(new Error('no pictures here')) },
        mayContinue: async () => true,
        show: () => ({
          status: 502,
          type: 'tollgate_error',
          code: 'shown',
          message: 'shown',
          param: '',
          retryAfterSeconds: undefined,
        }),
        answers: () => undefined,
        idleMs,
        maxMs,
      },
      {
        requestId: 'r',
        client: { socket: this.client, connection: this.connection },
        upstream: this.upstream,
        model: 'm',
        upstreamModel: 'm',
        countedAs: 'm',
        dialect: undefined,
        hidden: { baseUrl: 'http://upstream', key: 'secret', others: [] },
      },
    );
    void session.then((end) => {
      this.end = end;
    });
  }

  /** Time goes by in steps of a second. */
  async pass(seconds: number, each: () => void = () => undefined): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      this.#nowMs += 1000;
      each();
      this.#watched?.check(this.#nowMs);
    }
    await new Promise((resume) => setImmediate(resume));
  }

  get reason(): string | undefined {
    return this.end?.reason;
  }
}

const test = suite('gateway/realtime');

test('asks both ends every thirty seconds whether they are there, and ends when one has been silent for ninety', async () => {
  for (const silent of ['client', 'upstream'] as const) {
    const session = new Running();
    const answering = session[silent === 'client' ? 'upstream' : 'client'];
    await session.pass(89, () => answering.emit('pong'));
    assert.equal([session.client.pings, session.upstream.pings], [2, 2]);
    assert.is(session.reason, undefined);
    await session.pass(2, () => answering.emit('pong'));
    assert.equal([session.reason, session.client.closedWith], ['timeout', 1001], silent);
  }
});

test('ends after its longest time, whatever is said, and after a silence of both ends', async () => {
  const long = new Running({ maxMs: 3_600_000 });
  const speak = () => {
    long.client.says('{"type":"input_audio_buffer.append","audio":""}');
    long.upstream.emit('pong');
  };
  await long.pass(3599, speak);
  assert.is(long.reason, undefined);
  await long.pass(1, speak);
  assert.equal([long.reason, long.client.closedWith, long.upstream.closedWith], ['timeout', 1001, 1000]);
  const idle = new Running({ idleMs: 60_000 });
  const alive = () => {
    idle.client.emit('pong');
    idle.upstream.emit('pong');
  };
  await idle.pass(59, alive);
  assert.is(idle.reason, undefined);
  await idle.pass(1, alive);
  assert.equal([idle.reason, idle.client.closedWith], ['timeout', 1001]);
});

test('reads neither end while the other has more than a mebibyte to take', async () => {
  for (const [from, to] of [
    ['client', 'upstream'],
    ['upstream', 'client'],
  ] as const) {
    const session = new Running();
    session[from].says('x'.repeat(MIB));
    assert.is(session[from].isPaused, false);
    session[from].says('y');
    assert.equal([session[from].isPaused, session[to].isPaused], [true, false]);
    session[to].takes(MIB + 1);
    assert.is(session[from].isPaused, true);
    session[to].takes();
    assert.is(session[from].isPaused, false);
  }
});

test('keeps what had been read of an end while the other has too much to take, and hands it on, its goodbye last', async () => {
  for (const [from, to] of [
    ['client', 'upstream'],
    ['upstream', 'client'],
  ] as const) {
    const session = new Running();
    session[from].says('x'.repeat(MIB + 1));
    for (const text of ['1', '2', '3']) session[from].says(text);
    session[from].emit('close', 1000, Buffer.from(''));
    await session.pass(5);
    assert.equal([session[to].told.length, session.reason], [1, undefined], from);
    session[to].takes();
    await someTurns(9);
    assert.equal(session[to].told.slice(1), ['1', '2', '3'], from);
    assert.is(session.reason, 'complete');
  }
});

test('asks whether a client is there whose frames are not all read, and leaves one whose connection broke before they were', async () => {
  const session = new Running();
  const { client, upstream, connection } = session;
  connection.isBehind = () => true;
  await session.pass(5);
  assert.equal([client.pings, upstream.pings], [5, 0]);
  connection.isBroken = () => true;
  await session.pass(1, () => client.says('{}'));
  assert.equal([session.reason, upstream.told.length], [undefined, 1]);
  await session.pass(1);
  assert.equal([session.reason, upstream.closedWith], ['client_gone', 1000]);
});

test('hands on no more of an upstream before the books have answered, though more of it had been read by then', async () => {
  const { opened: books, open: answer } = gate();
  let asked = 0;
  const { upstream, client } = new Running({ review: async () => (asked++ === 0 ? books : undefined) });
  const words = JSON.stringify({ type: 'response.output_text.delta', delta: 'word '.repeat(40) });
  upstream.says(words);
  upstream.says(words);
  await someTurns(2);
  assert.equal([asked, upstream.isPaused, client.told.length], [1, true, 1]);
  answer();
  await someTurns(9);
  assert.equal([asked, client.told.length], [2, 2]);
  assert.not(upstream.isPaused);
  upstream.says(words);
  await someTurns(2);
  assert.equal([asked, upstream.isPaused], [3, false]);
});

test('hands on no more of an upstream that ends turns faster than the books can write them', async () => {
  const { opened: books, open: answer } = gate();
  let asked = 0;
  const { upstream, client } = new Running({ turn: () => books.then(() => void (asked += 1)) });
  const done = '{"type":"response.done","response":{}}';
  upstream.says(done);
  upstream.says('{"type":"a.b"}');
  assert.equal([upstream.isPaused, client.told.length], [false, 2], 'nobody waits for a single one');
  for (let said = 0; said < 50; said += 1) upstream.says(done);
  await someTurns(9);
  assert.equal([upstream.isPaused, client.told.length], [true, 3]);
  answer();
  await someTurns(200);
  assert.equal([asked, upstream.isPaused, client.told.length], [51, false, 52]);
});

test('does not take an end for dead that it does not read, nor one that takes its time for what it is told', async () => {
  const session = new Running();
  const { client, upstream } = session;
  for (let piece = 0; piece < 10; piece += 1) upstream.says('y');
  upstream.says('x'.repeat(MIB));
  let left = MIB + 10;
  // Nine minutes on a slow line: no answer to a ping can be read from one end, or comes through to the other.
  for (let minute = 0; minute < 9; minute += 1) {
    await session.pass(60);
    left -= 1;
    client.takes(left);
  }
  assert.equal([session.reason, upstream.isPaused], [undefined, true]);
  client.takes();
  await session.pass(85);
  assert.equal([session.reason, upstream.isPaused], [undefined, false]);
  await session.pass(10, () => client.emit('pong'));
  assert.is(session.reason, 'timeout');
});

test('ends when an end takes nothing any more of what it is told', async () => {
  const session = new Running();
  session.upstream.says('x'.repeat(2 * MIB));
  await session.pass(91);
  assert.is(session.reason, 'timeout');
});

test('tells the end of a client that broke off from one that said goodbye', async () => {
  for (const [code, reason] of [
    [1000, 'complete'],
    [1001, 'complete'],
    [1005, 'complete'],
    [1006, 'client_gone'],
    [1009, 'client_gone'],
  ] as const) {
    const session = new Running();
    session.client.emit('close', code, Buffer.from(''));
    await session.pass(1);
    assert.equal([session.reason, session.upstream.closedWith], [reason, 1000], String(code));
  }
});

test('leaves an end a second after its goodbye, though it keeps its connection open, and tells the other', async () => {
  for (const [leaving, code, reason] of [
    ['client', 1000, 'complete'],
    ['upstream', 1000, 'complete'],
    ['upstream', 1006, 'upstream_eof'],
  ] as const) {
    const session = new Running();
    const end = session[leaving];
    end.readyState = 2;
    await session.pass(1);
    assert.equal([end.closedWith, session.reason], [undefined, undefined], 'it has a second');
    await session.pass(1);
    assert.is(end.closedWith, 1006);
    end.emit('close', code, Buffer.from(''));
    await session.pass(1);
    assert.is(session.reason, reason);
    assert.is.not(session[leaving === 'client' ? 'upstream' : 'client'].closedWith, undefined);
  }
});

test('says all of a reason for which there is room, and cuts no character in two', async () => {
  for (const [reason, told] of [
    ['钱'.repeat(41), '钱'.repeat(41)],
    [`a${'𝄞'.repeat(30)}bc`, `a${'𝄞'.repeat(30)}bc`],
    // Masked, it may have grown.
    [`${'/'.repeat(121)}钱`, '/'.repeat(121)],
    [`${'/'.repeat(120)}𝄞`, '/'.repeat(120)],
  ] as const) {
    const session = new Running();
    session.upstream.emit('close', 4000, Buffer.from(reason));
    await session.pass(1);
    assert.is(session.client.closedFor, told);
  }
});

test('waits for an end that still takes what it was told before the end, and for no other', async () => {
  const timers = mock.timers;
  timers.enable({ apis: ['setTimeout'] });
  try {
    const session = new Running();
    const { client, upstream } = session;
    upstream.says('x'.repeat(1000));
    upstream.emit('close', 1000, Buffer.from(''));
    for (const left of [900, 500, 100]) {
      client.bufferedAmount = left;
      timers.tick(1000);
      assert.is(client.isTerminated, false, `${left} bytes are left`);
    }
    timers.tick(1000);
    assert.is(client.isTerminated, true, 'nothing was taken for a second');
  } finally {
    timers.reset();
  }
});

test('keeps to the model that it was opened with, whichever its client names later', async () => {
  const session = new Running();
  const named = '{"type":"session.update","session":{"model":"m","voice":"ash"}}';
  session.client.says(named);
  session.client.says('{"type":"session.update","session":{"model":"dear"}}');
  session.client.says('{"session":{"tools":[{"type":"a.b"}],"model":"dear"},"type":"session.update"}');
  session.client.says('{"type":"response.cancel","\\u0074ype":"session.update","session":{"model":"dear"}}');
  session.client.says('{"type":"session.update","session":{"model":"dear"},"session":{"model":"m"}}');
  assert.is(session.upstream.told[0], named);
  for (const told of session.upstream.told) assert.is(told.includes('dear'), false, told);
  assert.is(session.upstream.told.length, 5);
});

test('refuses binary frames of either end, and tells the client when the upstream’s are lost', async () => {
  const refused = new Running();
  refused.client.emit('message', Buffer.from([1]), true);
  await refused.pass(1);
  assert.equal([refused.client.closedWith, refused.reason], [1003, 'client_gone']);
  const lost = new Running();
  lost.upstream.emit('message', Buffer.from([1]), true);
  await lost.pass(1);
  assert.equal([lost.upstream.closedWith, lost.client.closedWith, lost.reason], [1003, 1011, 'upstream_error']);
  assert.is(JSON.parse(lost.client.told.at(-1) ?? '{}').type, 'error');
});

test('ends with the server when the grace of its shutdown is over', async () => {
  const session = new Running();
  session.work.interruptAll();
  await session.pass(1);
  assert.equal([session.reason, session.client.closedWith, session.upstream.closedWith], ['shutdown', 1001, 1000]);
});

test.run();
