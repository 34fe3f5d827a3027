/** When screens ask the server again, by a clock of the test. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Clock, Refresher, type Source } from '../../../cli/screens/refresh.ts';

const refreshing = suite('the refresh of screens');

class TestClock implements Clock {
  #now = 0;
  #timers: { at: number; run: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((known) => known !== timer);
    };
  }

  /** Lets time pass, and every answer arrive that is due in it. */
  async pass(seconds: number): Promise<void> {
    const end = this.#now + seconds * 1000;
    for (;;) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      const [next] = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#now = next.at;
      this.#timers = this.#timers.filter((known) => known !== next);
      next.run();
    }
    this.#now = end;
  }
}

interface Scene {
  readonly clock: TestClock;
  readonly refresher: Refresher;
  readonly source: Source;
  calls: number;
  answer: () => Promise<void>;
}

function scene(periodMs = 10_000): Scene {
  const clock = new TestClock();
  const made: Scene = {
    clock,
    refresher: new Refresher({ clock, onAnswer: () => undefined }),
    source: {
      kind: 'rows',
      periodMs,
      call: () => {
        made.calls += 1;
        return made.answer();
      },
    },
    calls: 0,
    answer: () => Promise.resolve(),
  };
  return made;
}

refreshing('asks at once and then by its period, for what is in view alone', async () => {
  const view = scene();
  view.refresher.show([view.source]);
  await view.clock.pass(25);
  assert.is(view.calls, 3);
  view.refresher.show([]);
  await view.clock.pass(60);
  assert.is(view.calls, 3);
});

refreshing('makes one call of a kind at a time; a late answer delays the next', async () => {
  const view = scene();
  let answer = (): void => undefined;
  view.answer = () => new Promise<void>((resolve) => (answer = resolve));
  view.refresher.show([view.source]);
  view.refresher.refresh();
  await view.clock.pass(35);
  assert.is(view.calls, 1);
  answer();
  await view.clock.pass(1);
  assert.is(view.calls, 2, 'what was asked for in between comes at once');
  answer();
  await view.clock.pass(9);
  assert.is(view.calls, 2);
  await view.clock.pass(2);
  assert.is(view.calls, 3);
});

refreshing('makes no second call beside one that is under way when its screen comes back', async () => {
  const view = scene();
  const answers: (() => void)[] = [];
  view.answer = () => new Promise<void>((resolve) => answers.push(resolve));
  view.refresher.show([view.source]);
  view.refresher.show([]);
  view.refresher.show([view.source]);
  await view.clock.pass(1);
  assert.is(view.calls, 1);
  answers[0]?.();
  await view.clock.pass(1);
  assert.is(view.calls, 2, 'what has changed meanwhile is asked for as soon as it may');
  answers[1]?.();
  await view.clock.pass(11);
  assert.is(view.calls, 3, 'and then by its period');
});

refreshing('asks more seldom after failures, says since when, and is live again', async () => {
  const view = scene();
  view.answer = () => Promise.reject(new Error('away'));
  view.refresher.show([view.source]);
  await view.clock.pass(1);
  assert.equal([view.refresher.state.word, view.refresher.state.periodMs], ['retrying', 20_000]);
  await view.clock.pass(200);
  const { word, since } = view.refresher.state;
  assert.equal([word, since, view.calls], ['offline', 0, 5], 'at 0, 20, 60, 120 and 180 s');
  view.answer = () => Promise.resolve();
  view.refresher.refresh();
  await view.clock.pass(1);
  assert.is(view.refresher.state.word, 'live');
});

refreshing('waits as long as a limit asks for', async () => {
  const view = scene();
  view.answer = () => Promise.reject(Object.assign(new Error('limited'), { retryAfter: 90 }));
  view.refresher.show([view.source]);
  await view.clock.pass(89);
  assert.is(view.calls, 1);
  await view.clock.pass(2);
  assert.is(view.calls, 2);
});

refreshing('makes at most 40 calls a minute', async () => {
  const view = scene(1000);
  view.refresher.show([view.source]);
  await view.clock.pass(59);
  assert.is(view.calls, 40);
  await view.clock.pass(60);
  assert.is(view.calls, 80);
});

refreshing('is paused and goes on, and slows down when nobody has touched a key for long', async () => {
  const view = scene();
  view.refresher.show([view.source]);
  await view.clock.pass(1);
  view.refresher.pause(true);
  await view.clock.pass(100);
  assert.equal([view.calls, view.refresher.state.word], [1, 'paused']);
  view.refresher.pause(false);
  await view.clock.pass(16 * 60);
  const before = view.calls;
  await view.clock.pass(600);
  assert.is(view.calls - before, 10);
  view.refresher.touch();
  await view.clock.pass(1);
  assert.is(view.calls - before, 11);
});

refreshing.run();
