/** Guessing costs tries: a place among the failures is taken before anything is compared, and given back on success (W47). */
import type { Counters } from '../cluster/counters.ts';
import { addressBucket } from './api-limits.ts';

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

/** How much somebody who is signed in may guess, whatever it is that shows who sits there. */
export interface GuessLimits {
  readonly counters: Pick<Counters, 'slide' | 'giveBack'>;
  readonly failuresPerName: FailureLimit;
  readonly failuresPerAddress: FailureLimit;
}

/** A try at the own password or a second factor: counted together, since it is the same guessing. */
export function takeOwnTry(
  { counters, failuresPerName, failuresPerAddress }: GuessLimits,
  actor: { readonly userId: number; readonly ip: string },
  refusal: () => Error,
): Promise<() => Promise<void>> {
  const windows = [
    { key: `login-failures:second:${actor.userId}`, limit: failuresPerName },
    { key: `login-failures:address:${addressBucket(actor.ip)}`, limit: failuresPerAddress },
  ];
  return takeTry(counters, windows, refusal);
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
