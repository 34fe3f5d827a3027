/** What this node says of itself: counted from the relay's records, read with every heartbeat. */
import { CallTimes } from '../domain/call-times.ts';
import { FailedTries } from '../domain/failed-tries.ts';
import { type JobState, NodeFigures } from '../domain/node-figures.ts';
import type { FinishListener } from '../gateway/record.ts';
import { timesListener } from '../gateway/record-times.ts';
import { ProcessFigures } from '../telemetry/process-figures.ts';
import type { Foundation } from './foundation.ts';
import type { RelayParts } from './relay.ts';

export interface NodeParts {
  readonly figures: NodeFigures;
  readonly times: CallTimes;
  readonly failedTries: FailedTries;
  readonly listeners: readonly FinishListener[];
  watchRelay(relay: Pick<RelayParts, 'gateway' | 'ledger' | 'logContent'>): void;
  watchJobs(states: () => JobState[]): void;
  stop(): void;
}

/** Models on channels that go with a heartbeat: some 20 kB where all of them are busy. */
const mostTimesTold = 200;
/** Channels whose failed tries do; some 10 kB. */
const mostFailingTold = 200;

export function buildNode({ config, clock, nowSeconds, keyring, snapshots, redis }: Foundation): NodeParts {
  const process = new ProcessFigures();
  const times = new CallTimes(clock.monotonic);
  const failedTries = new FailedTries(nowSeconds);
  let relay = () => ({ running: 0, openHolds: 0, lostTexts: 0 });
  let jobs = (): JobState[] => [];
  const figures = new NodeFigures({
    now: clock.monotonic,
    read: () => ({
      role: config.node.type === 'slave' ? 'slave' : 'master',
      secretMark: keyring.mark,
      revision: snapshots.current().revision,
      redis: redis(),
      ...process.sample(),
      ...relay(),
      jobs: jobs(),
      times: times.read(mostTimesTold),
      failedTries: failedTries.read(mostFailingTold),
    }),
  });
  return {
    figures,
    times,
    failedTries,
    listeners: [
      () => figures.callEnded(),
      timesListener({
        timed: (tried) => times.count(tried),
        failed: (channelId) => failedTries.count(channelId),
      }),
    ],
    watchRelay({ gateway, ledger, logContent }) {
      relay = () => ({ running: gateway.running, openHolds: ledger.openHolds, lostTexts: logContent.lost });
    },
    watchJobs(states) {
      jobs = states;
    },
    stop: () => process.stop(),
  };
}
