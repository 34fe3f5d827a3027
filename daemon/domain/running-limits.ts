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

/** A place that nobody left forgets itself: its node has died. Calls that run longer are no longer counted. */
const FORGOTTEN_MS = 3_600_000;

/** Takes a place under every limit, or under none. Answers at once without Redis. */
export function enterAll<L extends RunningLimit>(
  counters: Pick<Counters, 'enter' | 'leave'>,
  limits: readonly L[],
): Soon<Running<L>> {
  const entering = limits.map(({ key, limit }) => counters.enter(key, limit, FORGOTTEN_MS));
  const judge = (members: readonly (string | undefined)[]): Running<L> => {
    let isLeft = false;
    const leave = () => {
      if (isLeft) return;
      isLeft = true;
      // Counters never reject, and nobody needs to wait for this.
      limits.forEach(({ key }, at) => {
        const member = members[at];
        if (member !== undefined) void counters.leave(key, member);
      });
    };
    const refused = limits.find((_, at) => members[at] === undefined);
    if (refused === undefined) return { leave };
    leave();
    return { refused };
  };
  const known: (string | undefined)[] = [];
  for (const each of entering) {
    if (each instanceof Promise) return Promise.all(entering).then(judge);
    known.push(each);
  }
  return judge(known);
}
