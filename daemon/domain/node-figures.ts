/** What this node says of itself with every heartbeat, for whoever looks after the cluster. */
import type { CountedTimes } from './call-times.ts';
import type { FailedTriesOf } from './failed-tries.ts';

/** How a job of this node went last. */
export interface JobState {
  readonly name: string;
  readonly scope: 'node' | 'cluster';
  /** Unix seconds; 0 = not yet. */
  readonly lastAt: number;
  readonly lastMs: number;
  readonly outcome: 'never' | 'done' | 'failed' | 'elsewhere';
  /** Unix seconds. */
  readonly nextAt: number;
}

export interface NodeFacts {
  readonly role: 'master' | 'slave';
  /** Another where the root secret is another; "" from a version that did not tell. */
  readonly secretMark: string;
  /** Revision of the snapshot in use. */
  readonly revision: number;
  /** Relay calls in progress. */
  readonly running: number;
  /** Calls that ended since the last heartbeat, in a second. */
  readonly callsPerSecond: number;
  readonly openHolds: number;
  /** Calls whose texts were lost since the start. */
  readonly lostTexts: number;
  readonly redis: 'off' | 'connected' | 'lost';
  readonly memoryBytes: number;
  readonly cpuPercent: number;
  readonly loopDelayMs: number;
  readonly jobs: readonly JobState[];
  /** Of the busiest models and channels. */
  readonly times: readonly CountedTimes[];
  /** Of the channels that fail most. */
  readonly failedTries: readonly FailedTriesOf[];
}

export interface NodeFiguresDeps {
  /** Everything but what this class counts itself. */
  readonly read: () => Omit<NodeFacts, 'callsPerSecond'>;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

export class NodeFigures {
  readonly #deps: NodeFiguresDeps;
  #calls = 0;
  #since: number;

  constructor(deps: NodeFiguresDeps) {
    this.#deps = deps;
    this.#since = deps.now();
  }

  /** A relay call has ended. */
  callEnded(): void {
    this.#calls += 1;
  }

  /** The facts as JSON, and a new start of counting. */
  beat(): string {
    const now = this.#deps.now();
    const seconds = Math.max(1, (now - this.#since) / 1000);
    const facts: NodeFacts = {
      ...this.#deps.read(),
      callsPerSecond: Math.round((this.#calls / seconds) * 100) / 100,
    };
    this.#calls = 0;
    this.#since = now;
    return JSON.stringify(facts);
  }
}

const unknown: NodeFacts = {
  role: 'master',
  secretMark: '',
  revision: 0,
  running: 0,
  callsPerSecond: 0,
  openHolds: 0,
  lostTexts: 0,
  redis: 'off',
  memoryBytes: 0,
  cpuPercent: 0,
  loopDelayMs: 0,
  jobs: [],
  times: [],
  failedTries: [],
};

/** What a node said; zeros for one that says nothing. */
export function factsOf(json: string): NodeFacts {
  if (json === '') return unknown;
  // Written by `beat` of this program, or of a version beside it.
  const facts: Partial<NodeFacts> = JSON.parse(json);
  return { ...unknown, ...facts };
}
