/**
 * Gives back what a load has left behind. V8 collects when memory is asked for, and a node without calls asks for none:
 * it would keep the garbage of its last load, buffers of tens of megabytes, until the next one.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface IdleMemoryDeps {
  /** Calls under way. */
  readonly running: () => number;
  /** What the process holds at this moment, bytes; undefined where it cannot be asked now. */
  readonly memoryBytes: () => number | undefined;
  /** Collects everything; nothing else runs meanwhile. */
  readonly collect: () => void;
}

const LOOK_MS = 2000;
/**
 * Looks without a call until a load counts as over. A collection of everything also throws away what V8 has learnt of
 * the code: after four quiet seconds it cost loads that came in turns a sixth to a third of their pace.
 */
const QUIET_LOOKS = 15;
/** Growth since the last collection from which one is worth its pause, 60 to 90 ms for a heap of 50 MB. */
const WORTH_BYTES = 32 * 1024 * 1024;
/** Quiet looks until a second collection: by then the connections of the load are closed, and what they held is free. */
const SECOND_AFTER_LOOKS = 5;

export class IdleMemory {
  readonly #deps: IdleMemoryDeps;
  #timer: NodeJS.Timeout | undefined;
  #quietLooks = 0;
  /** After the last collection, at first of a new process; undefined: to be measured at the next quiet look. */
  #floorBytes: number | undefined;
  /** Quiet looks until the second collection; 0: none is due. */
  #secondIn = 0;

  constructor(deps: IdleMemoryDeps) {
    this.#deps = deps;
    this.#floorBytes = deps.memoryBytes();
  }

  start(): void {
    this.#timer = setInterval(() => this.look(), LOOK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Collects when no call has run for half a minute and memory has grown enough. */
  look(): void {
    this.#quietLooks = this.#deps.running() === 0 ? this.#quietLooks + 1 : 0;
    if (this.#quietLooks < QUIET_LOOKS) return;
    const bytes = this.#deps.memoryBytes();
    if (bytes === undefined) return;
    // Measured a look after the collection, which goes on in threads of its own.
    this.#floorBytes ??= bytes;
    if (this.#secondIn > 0) {
      this.#secondIn -= 1;
      if (this.#secondIn === 0) this.#collect();
    } else if (bytes - this.#floorBytes > WORTH_BYTES) {
      this.#collect();
      this.#secondIn = SECOND_AFTER_LOOKS;
    }
  }

  #collect(): void {
    this.#deps.collect();
    this.#floorBytes = undefined;
  }
}

/** V8's own full collection, which Node shows only to those who ask for it. */
export function fullCollection(): () => void {
  let collect: (() => void) | undefined;
  return () => {
    if (collect === undefined) {
      setFlagsFromString('--expose-gc');
      const found: unknown = runInNewContext('gc');
      if (typeof found !== 'function') throw new TypeError('this V8 has no collection on demand');
      collect = () => Reflect.apply(found, undefined, []);
    }
    collect();
  };
}
