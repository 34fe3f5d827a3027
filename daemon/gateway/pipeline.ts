/**
 * One relay request, step by step (architecture, section 5). Every step returns the next fact; a refusal is thrown and
 * answered at the end, and whatever was held is settled or released on every way out.
 */

import type { BudgetBook, BudgetPlace } from '../domain/budget-book.ts';
import type { Ledger } from '../domain/ledger.ts';
import type { RateLimits } from '../domain/rate-limits.ts';
import type { TollgateError } from '../errors.ts';
import {
  type AdmitDeps,
  admit,
  holdOf,
  type LimitTicket,
  type RequestLimits,
  refuseBrowserExtensions,
} from './admit.ts';
import { type Authenticator, type Caller, inGroup } from './authenticate.ts';
import { type BodyDeps, discardBody, readBody } from './body.ts';
import { answerHere, countHere, lacksCounter } from './count-tokens.ts';
import { type Exchange, isFreeOfCharge } from './exchange.ts';
import { discardForm, type Form } from './form.ts';
import type { Gates } from './gates.ts';
import { passedOver } from './group-hold.ts';
import { type Inspection, inspect } from './inspect.ts';
import { type FormInspectorDeps, inspectForm, refuseOther, sendsForm } from './inspect-form.ts';
import type { LargeBodies } from './large-bodies.ts';
import { readPlaygroundRequest } from './playground.ts';
import type { Recorder } from './record.ts';
import { takeBudgets } from './request-limits.ts';
import { Serving, type ServingDeps } from './serving.ts';
import { abandon, type SettleDeps, settle } from './settle.ts';
import { type TakenRates, takeRates } from './taken-rates.ts';

export interface PipelineDeps {
  readonly gates: Gates;
  readonly authenticator: Authenticator;
  readonly body: BodyDeps;
  readonly bodies: Pick<LargeBodies, 'parse'>;
  readonly forms: FormInspectorDeps;
  readonly limits: RequestLimits;
  /** Requests and tokens a minute. */
  readonly rates: RateLimits;
  /** By the hour, day, week and month. */
  readonly budgets: BudgetBook;
  readonly admit: AdmitDeps;
  readonly ledger: Pick<Ledger, 'hold'>;
  readonly serving: ServingDeps;
  readonly settle: SettleDeps;
  readonly recorder: Recorder;
}

/** Runs a request to its end. Never throws: every failure has been answered when it resolves. */
export async function relay(deps: PipelineDeps, exchange: Exchange): Promise<void> {
  let entered: 'no' | 'node' | 'user' | 'answered' = 'no';
  let caller: Caller | undefined;
  let ticket: LimitTicket | undefined;
  let form: Form | undefined;
  let rates: TakenRates | undefined;
  let budgets: BudgetPlace | undefined;
  let spentTokens = 0;
  let served: Serving | undefined;
  let succeeded = false;
  try {
    deps.gates.enter(exchange);
    entered = 'node';
    const known = deps.authenticator.authenticate(exchange);
    caller = known instanceof Promise ? await known : known;
    deps.gates.enterUser(exchange, caller.user.id);
    entered = 'user';
    let inspection: Inspection;
    if (sendsForm(exchange)) {
      const counting = count(deps, exchange, caller);
      ticket = counting instanceof Promise ? await counting : counting;
      inspection = await inspectForm(deps.forms, exchange, caller);
      form = inspection.form;
    } else {
      refuseOther(exchange);
      let body = await readBody(exchange, deps.body);
      if (exchange.signIn !== undefined) {
        const asked = readPlaygroundRequest(body);
        body = asked.body;
        caller = inGroup(exchange, caller, asked.group);
      }
      const parsing = deps.bodies.parse(body);
      const parsed = parsing instanceof Promise ? await parsing : parsing;
      const counting = count(deps, exchange, caller);
      ticket = counting instanceof Promise ? await counting : counting;
      inspection = inspect(exchange, parsed, caller);
    }
    const isFree = isFreeOfCharge(exchange.endpoint);
    if (isFree && (await countHere(deps.admit, exchange, { caller, inspection }))) {
      succeeded = true;
      return;
    }
    const admitted = admit(deps.admit, exchange, { caller, inspection });
    const admission = admitted instanceof Promise ? await admitted : admitted;
    const { held, route } = admission;
    const { rateLimited } = exchange.endpoint;
    if (rateLimited && !isFree && deps.rates.mayHold(exchange.view.options, caller.token)) {
      const taking = takeRates(deps.rates, exchange, { caller, inspection, admission, ticket });
      rates = taking instanceof Promise ? await taking : taking;
    }
    const budgeted = { caller, inspection, admission, ticket, rates };
    const keeping = isFree ? undefined : takeBudgets(deps.budgets, exchange, budgeted);
    budgets = keeping instanceof Promise ? await keeping : keeping;
    let shortage: TollgateError | undefined;
    if (held > 0) {
      try {
        await deps.ledger.hold(holdOf(exchange, caller, { amount: held, group: route.firstGroup }));
      } catch (error) {
        shortage = passedOver(route, error);
      }
    }
    // From here every exit settles.
    const standIn = isFree
      ? (error: unknown) =>
          lacksCounter(exchange.endpoint, error) ? answerHere(deps.admit, exchange, inspection) : undefined
      : undefined;
    const facts = { exchange, caller, inspection, admission, rates, budgets, shortage, standIn };
    const serving = new Serving(deps.serving, facts);
    served = serving;
    const outcome = await serving.run();
    if (outcome === undefined) {
      succeeded = true;
      return;
    }
    succeeded = outcome.error === undefined;
    const settling = settle(deps.settle, serving, outcome);
    if (settling instanceof Promise) {
      // Counting what no upstream has counted may take seconds; the client's next call need not wait for it.
      deps.gates.leaveUser(caller.user.id);
      rates?.left();
      deps.gates.answered();
      entered = 'answered';
    }
    const bill = settling instanceof Promise ? await settling : settling;
    spentTokens = bill.usage.prompt + bill.usage.completion;
    deps.recorder.record(serving, { outcome, bill });
  } catch (error) {
    // Only a bug gets here with a call that was served, or was to be; its hold must not stay open.
    if (served !== undefined) abandon(deps.settle, served);
    discardBody(exchange);
    deps.serving.refuse(exchange, error);
  } finally {
    // Nobody waits for what is deleted.
    if (form !== undefined) void discardForm(form);
    ticket?.finish(succeeded ? 'success' : 'failure');
    rates?.used(spentTokens);
    rates?.left();
    budgets?.left();
    served?.channelPlace?.left();
    served?.keyPlace?.used(spentTokens);
    if (entered === 'user' && caller !== undefined) deps.gates.leaveUser(caller.user.id);
    if (entered === 'answered') deps.gates.settled(exchange);
    else if (entered !== 'no') deps.gates.leave(exchange);
  }
}

type Counted = LimitTicket | undefined;

/** Counts the call, before anything is said of what it asks: one that asks wrongly has failed, and counts as such (17.5). */
function count(deps: PipelineDeps, exchange: Exchange, caller: Caller): Counted | Promise<Counted> {
  refuseBrowserExtensions(exchange);
  const place = exchange.endpoint.rateLimited ? deps.limits.take(exchange, caller) : undefined;
  return place instanceof Promise ? place.then((ticket) => told(exchange, ticket)) : told(exchange, place);
}

function told(exchange: Exchange, ticket: Counted): Counted {
  for (const [name, value] of ticket?.headers ?? []) exchange.sink.setHeader(name, value);
  return ticket;
}
