/**
 * One order from its key to its bill (relay.md 8.9, 9). A task is charged once its upstream has accepted it; from then
 * on its id must not be lost, so an order runs to its end whether or not the client still waits.
 */
import type { BudgetPlace } from '../../domain/budget-book.ts';
import type { RatePlace } from '../../domain/rate-limits.ts';
import { type Admission, admit, holdOf, type LimitTicket, refuseBrowserExtensions } from '../admit.ts';
import type { Caller } from '../authenticate.ts';
import { discardBody, readBody } from '../body.ts';
import type { Exchange } from '../exchange.ts';
import { answerWithError } from '../failure-answer.ts';
import type { Inspection } from '../inspect.ts';
import type { ParsedBody } from '../parse-body.ts';
import type { PipelineDeps } from '../pipeline.ts';
import { takeBudgets, takeRates } from '../request-limits.ts';
import { type Account, abandon, settle } from '../settle.ts';
import { TaskAttempts, type TaskAttemptsDeps } from './task-attempts.ts';
import type { TaskOrder } from './task-order.ts';

export interface TaskRunDeps extends TaskAttemptsDeps {
  readonly pipeline: PipelineDeps;
}

/** Reads what a client asks. Throws `TaskRefused` and codes of the table. */
export type ReadOrder = (asked: {
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly said: ParsedBody;
}) => TaskOrder | Promise<TaskOrder>;

/** Runs an order to its end. Never throws: every failure has been answered when it resolves. */
export async function runTask(deps: TaskRunDeps, exchange: Exchange, read: ReadOrder): Promise<void> {
  const { gates, authenticator, limits, rates, ledger, serving, recorder } = deps.pipeline;
  let entered: 'no' | 'node' | 'user' = 'no';
  let caller: Caller | undefined;
  let ticket: LimitTicket | undefined;
  let rated: RatePlace | undefined;
  let budgets: BudgetPlace | undefined;
  let account: Account | undefined;
  let succeeded = false;
  try {
    gates.enter(exchange);
    entered = 'node';
    caller = await authenticator.authenticate(exchange);
    gates.enterUser(caller.user.id);
    entered = 'user';
    const said = await deps.pipeline.bodies.parse(await readBody(exchange, deps.pipeline.body));
    refuseBrowserExtensions(exchange);
    ticket = await limits.take(exchange, caller);
    for (const [name, value] of ticket?.headers ?? []) exchange.sink.setHeader(name, value);
    const order = await read({ exchange, caller, said });
    const inspection = inspectionOf(order, said.body);
    const priced = await admit(deps.pipeline.admit, exchange, { caller, inspection, origin: order.origin });
    const admission: Admission = order.isFree ? { ...priced, held: 0 } : priced;
    rated = rates.mayHold(exchange.view.options, caller.token)
      ? await takeRates(rates, exchange, { caller, inspection, admission, ticket })
      : undefined;
    const { held, route } = admission;
    if (!order.isFree) {
      budgets = await takeBudgets(deps.pipeline.budgets, exchange, { caller, inspection, admission });
    }
    if (held > 0) await ledger.hold(holdOf(exchange, caller, { amount: held, group: route.firstGroup }));
    // From here every exit settles.
    const attempts = new TaskAttempts(deps, { exchange, caller, inspection, admission, order, budgets });
    account = attempts;
    const outcome = await attempts.run();
    succeeded = outcome.error === undefined;
    const bill = await settle(deps.pipeline.settle, attempts, outcome);
    recorder.record(attempts, { outcome, bill });
  } catch (error) {
    // Only a bug in the making of the bill gets here with an account; its hold must not stay open.
    if (account !== undefined) abandon(deps.pipeline.settle, account);
    discardBody(exchange);
    answerWithError(exchange, serving.explain(exchange, error, undefined));
  } finally {
    ticket?.finish(succeeded ? 'success' : 'failure');
    rated?.left();
    budgets?.left();
    if (entered === 'user' && caller !== undefined) gates.leaveUser(caller.user.id);
    if (entered !== 'no') gates.leave(exchange);
  }
}

/** An order as admission, limits and the log look at it. */
function inspectionOf({ model, json }: TaskOrder, body: Buffer): Inspection {
  return {
    body,
    repeatsMembers: false,
    json,
    model,
    stream: false,
    includeUsage: false,
    maxTokens: undefined,
    choices: 1,
    stateful: false,
    references: [],
  };
}
