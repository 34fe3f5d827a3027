/** Counts and durations for Prometheus. An observation costs well under a microsecond and never throws. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** One relay request that has ended. */
export interface RelayObservation {
  /** `chat`, `embeddings`, ... */
  readonly capability: string;
  /** Settlement reason of an answered call, else the error code. */
  readonly outcome: string;
  /** The channel that answered; 0 when none did. */
  readonly channelId: number;
  /** Upstream tries, 0 when refused before the first. */
  readonly attempts: number;
  readonly durationMs: number;
  /** Undefined when nothing was put out. */
  readonly firstTokenMs: number | undefined;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Whole quota units charged. */
  readonly quota: number;
}

const durations = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900];

export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = this.#counter('relay_requests_total', 'Relay requests', ['capability', 'outcome', 'channel']);
  readonly #attempts = this.#counter('relay_attempts_total', 'Tries at upstreams', ['capability']);
  readonly #tokens = this.#counter('relay_tokens_total', 'Tokens metered', ['direction']);
  readonly #quota = this.#counter('relay_quota_total', 'Quota units charged', []);
  readonly #bugs = this.#counter('bugs_total', 'Calls that met a bug; the log has the stack of each', []);
  readonly #duration = this.#histogram('relay_duration_seconds', 'From request to end of answer');
  readonly #firstToken = this.#histogram('relay_first_token_seconds', 'From request to first output');

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
  }

  relayFinished(seen: RelayObservation): void {
    const { capability, outcome } = seen;
    this.#requests.inc({ capability, outcome, channel: String(seen.channelId) });
    if (seen.attempts > 0) this.#attempts.inc({ capability }, seen.attempts);
    if (seen.promptTokens > 0) this.#tokens.inc({ direction: 'prompt' }, seen.promptTokens);
    if (seen.completionTokens > 0) this.#tokens.inc({ direction: 'completion' }, seen.completionTokens);
    if (seen.quota > 0) this.#quota.inc(seen.quota);
    this.#duration.observe({ capability }, seen.durationMs / 1000);
    if (seen.firstTokenMs !== undefined) this.#firstToken.observe({ capability }, seen.firstTokenMs / 1000);
  }

  /** Counts a request that was refused, by its code, before it was served. Its time is none of a relayed one's. */
  relayRefused(capability: string, code: string): void {
    this.#requests.inc({ capability, outcome: code, channel: '0' });
  }

  /** Counts a call, of the relay or the management API, that met a bug. */
  metBug(): void {
    this.#bugs.inc();
  }

  /** Shows a figure that somebody else keeps; it is read when the metrics are. `name` without the prefix. */
  watch(name: string, help: string, read: () => number): void {
    const gauge: Gauge = new Gauge({
      name: `tollgate_${name}`,
      help,
      registers: [this.#registry],
      collect() {
        gauge.set(read());
      },
    });
  }

  /** The same for a total since the start of the process, which only grows. `name` without the prefix and `_total`. */
  watchTotal(name: string, help: string, read: () => number): void {
    const counter: Counter = new Counter({
      name: `tollgate_${name}_total`,
      help,
      registers: [this.#registry],
      collect() {
        counter.reset();
        counter.inc(read());
      },
    });
  }

  /** Everything in the text form of Prometheus, with its content type. */
  async render(): Promise<{ readonly contentType: string; readonly body: string }> {
    return { contentType: this.#registry.contentType, body: await this.#registry.metrics() };
  }

  #counter<const L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L> {
    return new Counter({ name: `tollgate_${name}`, help, labelNames: [...labelNames], registers: [this.#registry] });
  }

  #histogram(name: string, help: string): Histogram<'capability'> {
    const registers = [this.#registry];
    return new Histogram({ name: `tollgate_${name}`, help, labelNames: ['capability'], buckets: durations, registers });
  }
}
