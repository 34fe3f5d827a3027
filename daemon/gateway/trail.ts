/** Everything that was tried for one request: the attempts of its log row (relay.md 16.2, REQ-7). */
import type { AttemptEntry } from '../domain/usage-log-facts.ts';
import type { UpstreamFailure } from '../errors.ts';
import type { Usage } from '../relay/canonical/usage.ts';
import type { FailedAttempt } from './attempt-failure.ts';
import type { RoutedPick } from './route.ts';

export class Trail {
  readonly #usedChannels: number[] = [];
  readonly #attempts: AttemptEntry[] = [];
  #lastPick: RoutedPick | undefined;
  #lastFailure: UpstreamFailure | undefined;
  #calledOff: AttemptEntry | undefined;

  get usedChannels(): readonly number[] {
    return this.#usedChannels;
  }

  get attempts(): readonly AttemptEntry[] {
    return this.#attempts;
  }

  /** For the log: also the attempt that a client called off by leaving, which tells nothing of its channel. */
  get logged(): readonly AttemptEntry[] {
    return this.#calledOff === undefined ? this.#attempts : [...this.#attempts, this.#calledOff];
  }

  /** The pick that answered, or the last that was tried. */
  get lastPick(): RoutedPick | undefined {
    return this.#lastPick;
  }

  /** How the last attempt that failed did so. */
  get lastFailure(): UpstreamFailure | undefined {
    return this.#lastFailure;
  }

  begin(pick: RoutedPick): void {
    this.#usedChannels.push(pick.channel.record.id);
    this.#lastPick = pick;
  }

  failed(pick: RoutedPick, { failure, spent }: FailedAttempt, ms: number): void {
    const { status, code, operatorText } = failure.fields;
    const channel = pick.channel.record.id;
    const key = pick.key.id;
    const entry = { channel, key, status, code, ms: Math.round(ms), message: operatorText };
    this.#attempts.push({ ...entry, ...spent });
    this.#lastFailure = failure;
  }

  answered(pick: RoutedPick, ms: number, usage: Usage | undefined): void {
    const channel = pick.channel.record.id;
    const key = pick.key.id;
    const rounded = Math.round(ms);
    this.#attempts.push(
      usage === undefined
        ? { channel, key, status: 200, code: '', ms: rounded, message: '' }
        : { channel, key, status: 200, code: '', ms: rounded, message: '', usage },
    );
  }

  /** The upstream's answer is that it will not, in the words of its platform. */
  refused(pick: RoutedPick, ms: number, said: { readonly code: string; readonly message: string }): void {
    const channel = pick.channel.record.id;
    this.#attempts.push({ channel, key: pick.key.id, status: 200, ms: Math.round(ms), ...said });
  }

  /** The client left before the upstream had answered. */
  calledOff(pick: RoutedPick, ms: number): void {
    const channel = pick.channel.record.id;
    this.#calledOff = { channel, key: pick.key.id, status: 0, code: 'client_gone', ms: Math.round(ms), message: '' };
  }

  /** Notes what the answer costs the operator. */
  answerCosts(cost: number): void {
    const last = this.#attempts.at(-1);
    if (last?.status === 200) last.cost = cost;
  }

  /** As `answered`, of a session that goes on answering: only its last word stays. */
  answeredSoFar(pick: RoutedPick, ms: number, usage: Usage | undefined): void {
    if (this.#attempts.at(-1)?.status === 200) this.#attempts.pop();
    this.answered(pick, ms, usage);
  }
}
