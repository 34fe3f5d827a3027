/** Calls that come at once where only some have room. */

import type { Answer, FakeUpstream } from './fake-upstream.ts';
import { gate } from './gate.ts';
import { until } from './until.ts';

export interface Rush {
  readonly upstream: FakeUpstream;
  /** Of the upstream to those that were let through. */
  readonly answer: Answer;
  readonly calls: number;
  /** How many may run at once. */
  readonly room: number;
}

/**
 * Makes the calls and resolves with what came of each. The upstream answers none before all for which there is no room
 * were told so: a place that came free earlier, on a slow machine, would be another's.
 */
export async function askAtOnce<T>({ upstream, answer, calls, room }: Rush, ask: () => Promise<T>): Promise<T[]> {
  const { open, opened } = gate();
  upstream.script(async () => {
    await opened;
    return answer;
  });
  let told = 0;
  const asking = Array.from({ length: calls }, async () => {
    const outcome = await ask();
    told += 1;
    return outcome;
  });
  try {
    await until(() => told >= calls - room);
  } finally {
    open();
  }
  return Promise.all(asking);
}
