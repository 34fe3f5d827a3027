/** How many calls may run at once (REQ-23, relay.md 17.5): places that a call takes all together, and leaves at its end. */
import type { Counters, Soon } from '../cluster/counters.ts';

export interface RunningLimit {
  readonly key: string;
  readonly limit: number;
}

/** The places of one call, or the limit that had none left. */
export type Running<L extends RunningLimit> =
  | { readonly refused: L; readonly leave?: undefined }
  | {
      readonly refused?: undefined;
      /** Gives the places back, once. */
      readonly leave: () => void;
    };

/** A place forgets itself so long after its call last said that it runs: its node has died. */
const FORGOTTEN_MS = 90_000;
/** How often a call that runs for long says so. */
const SAID_MS = 30_000;

export type RunningCounters = Pick<Counters, 'enter' | 'stay' | 'leave'>;

/** Takes a place under every limit, or under none. Answers at once without Redis. */
export function enterAll<L extends RunningLimit>(counters: RunningCounters, limits: readonly L[]): Soon<Running<L>> {
  const entering = limits.map(({ key, limit }) => counters.enter(key, limit, FORGOTTEN_MS));
  const judge = (members: readonly (string | undefined)[]): Running<L> => {
    const places = limits.flatMap(({ key }, at) => {
      const member = members[at];
      return member === undefined ? [] : [{ key, member }];
    });
    // Counters never reject, and nobody needs to wait for this.
    const leaveAll = () => {
      for (const { key, member } of places) void counters.leave(key, member);
    };
    const refused = limits.find((_, at) => members[at] === undefined);
    if (refused !== undefined) {
      leaveAll();
      return { refused };
    }
    const saying = setInterval(() => {
      for (const { key, member } of places) void counters.stay(key, member, FORGOTTEN_MS);
    }, SAID_MS).unref();
    let isLeft = false;
    const leave = () => {
      if (isLeft) return;
      isLeft = true;
      clearInterval(saying);
      leaveAll();
    };
    return { leave };
  };
  const known: (string | undefined)[] = [];
  for (const each of entering) {
    if (each instanceof Promise) return Promise.all(entering).then(judge);
    known.push(each);
  }
  return judge(known);
}
