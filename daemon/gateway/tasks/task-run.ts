/**
 * One order from its key to its bill (relay.md 8.9, 9). A task is charged once its upstream has accepted it; from then
 * on its id must not be lost, so an order runs to its end whether or not the client still waits.
 */
import { admit, refuseBrowserExtensions } from '../admit.ts';
import type { Caller } from '../authenticate.ts';
import { discardBody, readBody } from '../body.ts';
import type { Exchange } from '../exchange.ts';
import type { HeldCall } from '../held-call.ts';
import type { Inspection } from '../inspect.ts';
import type { ParsedBody } from '../parse-body.ts';
import type { PipelineDeps } from '../pipeline.ts';
import { abandon, settle } from '../settle.ts';
import { Stay } from '../stay.ts';
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
  const { pipeline } = deps;
  const { serving, recorder } = pipeline;
  const stay = new Stay(pipeline, exchange);
  let call: HeldCall | undefined;
  let succeeded = false;
  try {
    const caller = await stay.enter();
    const said = await pipeline.bodies.parse(await readBody(exchange, pipeline.body));
    refuseBrowserExtensions(exchange);
    await stay.count(caller);
    const order = await read({ exchange, caller, said });
    const inspection = inspectionOf(order, said.body);
    const { origin, isFree } = order;
    const admission = await admit(pipeline.admit, exchange, { caller, inspection, origin, isFree });
    const admitted = { caller, inspection, admission };
    await stay.takeRates(admitted);
    if (!isFree) await stay.takeBudgets(admitted);
    call = await stay.hold(admitted);
    const outcome = await new TaskAttempts(deps, call, { order, stay }).run();
    succeeded = outcome.error === undefined;
    const bill = await settle(pipeline.settle, call, outcome);
    recorder.record(call, { outcome, bill });
  } catch (error) {
    // Only a bug in the making of the bill gets here with a hold, which must not stay open.
    if (call !== undefined) abandon(pipeline.settle, call);
    discardBody(exchange);
    serving.refuse(exchange, error);
  } finally {
    stay.leave(succeeded ? 'success' : 'failure');
  }
}

/** An order as admission, limits and the log look at it. */
export function inspectionOf({ model, json }: TaskOrder, body: Buffer): Inspection {
  return {
    body,
    repeatsMembers: false,
    json,
    askedModel: model,
    model,
    stream: false,
    includeUsage: false,
    maxTokens: undefined,
    choices: 1,
    stateful: false,
    references: [],
  };
}
