/** Tells which calls failed for an upstream's reason: each try by its channel, and the call as a whole. */
import type { FinishListener } from './record.ts';

/** Told of every try and, with channel 0, of every call that reached an upstream. */
export type CallCounter = (channelId: number, result: 'answered' | 'failed') => void;

const wholeCall = 0;
/** Refusals that speak of the channel's account or of the upstream's state, not of what the client sent. */
const upstreamsFault = new Set([401, 402, 403, 408, 429]);

/** A listener that counts. */
export function errorListener(count: CallCounter): FinishListener {
  return ({ account, outcome }) => {
    const { attempts } = account.trail;
    if (attempts.length === 0) return;
    const isCut = outcome.reason === 'upstream_error' || outcome.reason === 'upstream_eof';
    for (const { channel, status } of attempts) {
      const isServing = status === 200;
      if (isServing) count(channel, isCut ? 'failed' : 'answered');
      else if (isUpstreamsFault(status)) count(channel, 'failed');
    }
    const isAnswered = outcome.served !== undefined && !isCut;
    const last = attempts.at(-1);
    if (isAnswered) count(wholeCall, 'answered');
    else if (isCut || (last !== undefined && isUpstreamsFault(last.status))) count(wholeCall, 'failed');
  };
}

function isUpstreamsFault(status: number): boolean {
  return status >= 500 || upstreamsFault.has(status);
}
