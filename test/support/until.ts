/** Waiting for what is to come about, by looking: as long as a slow machine may need, and not a moment longer. */
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * How long a test waits for what must come, in ms. A free machine needs a hundredth of it: it says how long a failure
 * takes to be noticed, never how fast something is.
 */
export const patienceMs = 30_000;

/** Waits until a condition holds, looking every so many milliseconds. Throws with the condition when it never does. */
export async function until(holds: () => boolean | Promise<boolean>, everyMs = 10): Promise<void> {
  const began = performance.now();
  while (!(await holds())) {
    if (performance.now() - began > patienceMs) throw new Error(`it never came true: ${holds.toString()}`);
    await sleep(everyMs);
  }
}

/** What is there once it is there: asks until the answer is not undefined. Throws with the question when it stays so. */
export async function untilThere<T>(ask: () => Promise<T | undefined> | T | undefined, everyMs = 10): Promise<T> {
  const began = performance.now();
  for (;;) {
    const found = await ask();
    if (found !== undefined) return found;
    if (performance.now() - began > patienceMs) throw new Error(`it never came: ${ask.toString()}`);
    await sleep(everyMs);
  }
}

/**
 * Lets the process do what is due: so many turns of its event loop, each with a short pause. For what cannot be seen from
 * outside, such as that a daemon of this process has read what lies in its sockets. One long pause may be over before
 * anything was read, where the machine stood still meanwhile.
 */
export async function someTurns(count = 12): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await sleep(5);
}

/** What a look costs on a machine that is not held up, in ms: the pause before it, and asking. */
const lookMs = 30;

/**
 * Waits as `until` does for what must come within so many ms. Looks are counted, not time: on a machine whose processor
 * others take they come seldom, and the daemon under test gets as little of it as the test that asks.
 */
export async function within(ms: number, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let looks = Math.ceil(ms / lookMs); !(await holds()); looks -= 1) {
    if (looks <= 0) throw new Error(`it did not come true within ${ms} ms: ${holds.toString()}`);
    await sleep(25);
  }
}

/** What the work comes to, which must be there within so many ms, counted as by `within`. */
export async function resolvesWithin<T>(ms: number, work: Promise<T> | undefined): Promise<T> {
  if (work === undefined) throw new Error('there is nothing to wait for');
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  work.then(over, over);
  await within(ms, () => isOver);
  return work;
}

/** Tries a check until it passes; throws what it threw last when it never does. */
export async function untilPasses<T>(check: () => Promise<T> | T, everyMs = 20): Promise<T> {
  const began = performance.now();
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() - began > patienceMs) throw error;
      await sleep(everyMs);
    }
  }
}

/**
 * What came of work that says something only if it took less than so many ms, as where it is over before a short time
 * limit of its own; done anew whenever the machine held it up for longer. Gets the number of the try, so that each can
 * have names of its own.
 */
export async function inOneGo<T>(ms: number, work: (attempt: number) => Promise<T>): Promise<T> {
  const began = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    const triedAt = performance.now();
    const outcome = await work(attempt);
    if (performance.now() - triedAt < ms) return outcome;
    if (performance.now() - began > patienceMs) throw new Error(`it always took longer than ${ms} ms`);
  }
}
