/**
 * What an order of a task or a realtime session has on this node while it runs: its place, and what limits, rates and
 * budgets keep for it. The pipeline does the same by itself, without a promise where nothing is waited for.
 */
import type { BudgetPlace, CallSums, ChannelPlace } from '../domain/budget-book.ts';
import type { TollgateError } from '../errors.ts';
import { type Admission, holdOf, type LimitTicket } from './admit.ts';
import type { Caller } from './authenticate.ts';
import type { Exchange } from './exchange.ts';
import { passedOver, refusalOf } from './group-hold.ts';
import { HeldCall } from './held-call.ts';
import type { Inspection } from './inspect.ts';
import type { PipelineDeps } from './pipeline.ts';
import { expectedTokens, takeBudgets } from './request-limits.ts';
import type { Route, RoutedPick } from './route.ts';
import { type TakenRates, takeRates } from './taken-rates.ts';

/** A call that was let in, and what it asks. */
interface Admitted {
  readonly caller: Caller;
  readonly inspection: Inspection;
  readonly admission: Admission;
}

export class Stay {
  readonly #deps: PipelineDeps;
  readonly #exchange: Exchange;
  #entered: 'no' | 'node' | 'user' = 'no';
  #caller: Caller | undefined;
  #ticket: LimitTicket | undefined;
  #rates: TakenRates | undefined;
  #budgets: BudgetPlace | undefined;
  /** Of the channel that is asked. */
  #channelPlace: ChannelPlace | undefined;
  /** What the call has come to, as far as it was told. */
  #tokens = 0;

  constructor(deps: PipelineDeps, exchange: Exchange) {
    this.#deps = deps;
    this.#exchange = exchange;
  }

  /** Lets the call in, or throws why not. */
  async enter(): Promise<Caller> {
    const { gates, authenticator } = this.#deps;
    gates.enter(this.#exchange);
    this.#entered = 'node';
    const caller = await authenticator.authenticate(this.#exchange);
    this.#caller = caller;
    gates.enterUser(this.#exchange, caller.user.id);
    this.#entered = 'user';
    return caller;
  }

  /** Counts the call among those of its caller, and lets its answer say so. Throws what a limit refuses. */
  async count(caller: Caller): Promise<void> {
    this.#ticket = await this.#deps.limits.take(this.#exchange, caller);
    for (const [name, value] of this.#ticket?.headers ?? []) this.#exchange.sink.setHeader(name, value);
  }

  /** Takes its part of what is limited by the minute. Throws what a limit refuses. */
  async takeRates(admitted: Admitted): Promise<void> {
    const { rates } = this.#deps;
    if (!rates.mayHold(this.#exchange.view.options, admitted.caller.token)) return;
    this.#rates = await takeRates(rates, this.#exchange, { ...admitted, ticket: this.#ticket });
  }

  /** Throws what a budget refuses. */
  async takeBudgets(admitted: Admitted): Promise<void> {
    this.#budgets = await takeBudgets(this.#deps.budgets, this.#exchange, {
      ...admitted,
      ticket: this.#ticket,
      rates: this.#rates,
    });
  }

  /** Holds the quota that the call may cost, behind all limits and budgets; from here every exit settles. */
  async hold(admitted: Admitted): Promise<HeldCall> {
    const shortage = await this.#shortageOf(admitted);
    return new HeldCall({ exchange: this.#exchange, ...admitted, budgets: this.#budgets, shortage });
  }

  /** Resolves to why nothing is held where the balance does not reach for the first of several groups. */
  async #shortageOf({ caller, admission: { held, route } }: Admitted): Promise<TollgateError | undefined> {
    if (held === 0) return undefined;
    try {
      await this.#deps.ledger.hold(holdOf(this.#exchange, caller, { amount: held, group: route.firstGroup }));
      return undefined;
    } catch (error) {
      return passedOver(route, error);
    }
  }

  /** Takes its place in the group that is asked now. Resolves to a refusal that another group may not meet. */
  async enterGroup({ group }: RoutedPick, route: Route): Promise<TollgateError | undefined> {
    const entering = this.#rates?.enterGroup?.(group);
    return entering && refusalOf(entering, route);
  }

  /** Keeps what the call may take of the budgets of the channel that is asked now, until it is left. Never waits. */
  enterChannel({ channel }: RoutedPick, call: Omit<Admitted, 'caller'> & { readonly held: number }): void {
    const tokens = () => expectedTokens(this.#exchange, call);
    this.#channelPlace = this.#deps.budgets.keepOn(channel.record, { quota: call.held, tokens });
  }

  /** Before another is picked, so that the call does not stand in its own way. */
  leaveChannel(): void {
    this.#channelPlace?.left();
  }

  /** What the call has come to so far, for the limits by the minute and all budgets that keep a part for it. */
  soFar(sums: CallSums): void {
    this.#tokens = sums.tokens;
    this.#rates?.used(sums.tokens);
    this.#budgets?.soFar(sums);
    this.#channelPlace?.soFar(sums);
  }

  /** Throws `budget_exceeded` when its caller's budgets leave nothing for another turn. */
  expectMore(): void {
    this.#budgets?.expectMore();
  }

  /** Gives back whatever it has. */
  leave(end: 'success' | 'failure'): void {
    this.#ticket?.finish(end);
    // What was expected and did not come, of an order or a session that failed, is free again.
    this.#rates?.used(this.#tokens);
    this.#rates?.left();
    this.#budgets?.left();
    this.#channelPlace?.left();
    if (this.#entered === 'user' && this.#caller !== undefined) this.#deps.gates.leaveUser(this.#caller.user.id);
    if (this.#entered !== 'no') this.#deps.gates.leave(this.#exchange);
  }
}
