/** Guessing costs tries: a place among the failures is taken before anything is compared, and given back on success (W47). */
import type { Counters } from '../cluster/counters.ts';

/** How many failures within how many seconds; `enabled: false` counts nothing. */
export interface FailureLimit {
  readonly enabled: boolean;
  readonly count: number;
  readonly seconds: number;
}

/** What failures are counted by. */
export interface FailureWindow {
  readonly key: string;
  readonly limit: FailureLimit;
}

/** Takes a try of every window, or none and throws; the returned function gives them back. */
export async function takeTry(
  counters: Pick<Counters, 'slide' | 'giveBack'>,
  windows: readonly FailureWindow[],
  refusal: () => Error,
): Promise<() => Promise<void>> {
  const taken: { key: string; member: string }[] = [];
  const giveBack = async (): Promise<void> => {
    for (const { key, member } of taken) await counters.giveBack(key, member);
  };
  for (const { key, limit } of windows) {
    if (!limit.enabled) continue;
    const slot = await counters.slide(key, { limit: limit.count, windowMs: limit.seconds * 1000 });
    if (!slot.allowed) {
      await giveBack();
      throw refusal();
    }
    taken.push({ key, member: slot.member });
  }
  return giveBack;
}
