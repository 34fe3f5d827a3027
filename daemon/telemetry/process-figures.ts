/** How this process is: memory, processor, and how late its event loop runs. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface ProcessSample {
  readonly memoryBytes: number;
  /** Of one core, since the last sample; may pass 100 with worker threads. */
  readonly cpuPercent: number;
  /** How late timers ran, in all but one of a hundred turns since the last sample. */
  readonly loopDelayMs: number;
}

/** What the process holds at this moment, bytes; undefined while no file can be opened to ask for it. */
export function residentBytes(): number | undefined {
  try {
    return process.memoryUsage.rss();
  } catch {
    return undefined;
  }
}

export class ProcessFigures {
  readonly #delays = monitorEventLoopDelay({ resolution: 20 });
  #cpu = process.cpuUsage();
  #at = performance.now();
  #memoryBytes = 0;

  constructor() {
    this.#delays.enable();
  }

  /** The figures since the last call. */
  sample(): ProcessSample {
    const used = process.cpuUsage(this.#cpu);
    const elapsedMs = Math.max(1, performance.now() - this.#at);
    const delayNs = this.#delays.percentile(99);
    this.#cpu = process.cpuUsage();
    this.#at = performance.now();
    this.#delays.reset();
    this.#memoryBytes = residentBytes() ?? this.#memoryBytes;
    return {
      memoryBytes: this.#memoryBytes,
      cpuPercent: Math.round((used.user + used.system) / elapsedMs / 10),
      // The monitor counts its own 20 ms of rest.
      loopDelayMs: Number.isFinite(delayNs) ? Math.max(0, Math.round(delayNs / 1e6) - 20) : 0,
    };
  }

  stop(): void {
    this.#delays.disable();
  }
}
