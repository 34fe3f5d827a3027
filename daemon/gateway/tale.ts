/** What the attempts of one request add up to, and what its client is told when none of them was answered. */
import { TollgateError, UpstreamFailure } from '../errors.ts';
import { type FailedAttempt, isClientFault } from './attempt-failure.ts';
import type { Route, RoutedPick } from './route.ts';

export class Tale {
  /** The last that was picked, whether it was asked or not. */
  pick: RoutedPick | undefined;
  /** Why the first channel that was passed over cannot say the request. */
  unsayable: TollgateError | undefined;
  /** Why a dearer group was passed over, unless somebody was asked since: the client is told what came last (11.6). */
  refusal: TollgateError | undefined;
  /** The failure that the client is shown: the last, unless an earlier one tells it what to repair (11.6). */
  #shown: FailedAttempt | undefined;
  /** The shortest wait that any upstream named (11.7). */
  #waitSeconds: number | undefined;

  /** @param refusal why the balance does not reach for the first group, which the route passes over */
  constructor(refusal: TollgateError | undefined) {
    this.refusal = refusal;
  }

  add(failed: FailedAttempt): void {
    this.refusal = undefined;
    const { retryAfterSeconds } = failed.failure.fields;
    if (this.#waitSeconds === undefined || (retryAfterSeconds ?? this.#waitSeconds) < this.#waitSeconds) {
      this.#waitSeconds = retryAfterSeconds;
    }
    if (this.#shown === undefined || !isClientFault(this.#shown)) this.#shown = failed;
  }

  /** Why nobody answered (relay.md 11.6 to 11.8). Throws what forbids the request itself: `refusal`, `unsayable`. */
  failure(route: Route, model: string): TollgateError | UpstreamFailure {
    const shown = this.#shown;
    // What the client must repair is said whatever else there is: waiting would not help it.
    const isRepairable = shown !== undefined && isClientFault(shown);
    if (this.refusal !== undefined && !isRepairable) throw this.refusal;
    if (this.unsayable !== undefined && shown === undefined) throw this.unsayable;
    const params = { group: this.pick?.group ?? route.firstGroup, model };
    if (route.coolestMs !== undefined && !isRepairable) {
      const retryAfterSeconds = Math.max(1, Math.ceil(route.coolestMs / 1000));
      return new TollgateError('all_channels_cooling', params, { retryAfterSeconds, cause: shown?.failure });
    }
    if (shown === undefined) return new TollgateError('no_channel_for_model', params, { retryAfterSeconds: 5 });
    const { fields } = shown.failure;
    const waitSeconds = this.#waitSeconds;
    if (waitSeconds === undefined || fields.retryAfterSeconds === waitSeconds) return shown.failure;
    return new UpstreamFailure({ ...fields, retryAfterSeconds: waitSeconds });
  }
}
