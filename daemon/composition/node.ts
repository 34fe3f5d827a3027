/** What this node says of itself: counted from the relay's records, read with every heartbeat. */
import { type JobState, NodeFigures } from '../domain/node-figures.ts';
import type { FinishListener } from '../gateway/record.ts';
import { ProcessFigures } from '../telemetry/process-figures.ts';
import type { Foundation } from './foundation.ts';
import type { RelayParts } from './relay.ts';

export interface NodeParts {
  readonly figures: NodeFigures;
  readonly listener: FinishListener;
  watchRelay(relay: Pick<RelayParts, 'gateway' | 'ledger' | 'logContent'>): void;
  watchJobs(states: () => JobState[]): void;
  stop(): void;
}

export function buildNode({ config, clock, snapshots, redis }: Foundation): NodeParts {
  const process = new ProcessFigures();
  let relay = () => ({ running: 0, openHolds: 0, lostTexts: 0 });
  let jobs = (): JobState[] => [];
  const figures = new NodeFigures({
    now: clock.monotonic,
    read: () => ({
      role: config.node.type === 'slave' ? 'slave' : 'master',
      revision: snapshots.current().revision,
      redis: redis(),
      ...process.sample(),
      ...relay(),
      jobs: jobs(),
    }),
  });
  return {
    figures,
    listener: () => figures.callEnded(),
    watchRelay({ gateway, ledger, logContent }) {
      relay = () => ({ running: gateway.running, openHolds: ledger.openHolds, lostTexts: logContent.lost });
    },
    watchJobs(states) {
      jobs = states;
    },
    stop: () => process.stop(),
  };
}
