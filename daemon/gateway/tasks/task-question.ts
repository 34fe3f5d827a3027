/** What is asked about tasks: a call with a key that costs nothing and is answered here. */
import { refuseBrowserExtensions } from '../admit.ts';
import type { Caller } from '../authenticate.ts';
import { discardBody } from '../body.ts';
import type { Exchange } from '../exchange.ts';
import type { PipelineDeps } from '../pipeline.ts';

type QuestionDeps = Pick<PipelineDeps, 'authenticator' | 'gates' | 'serving'>;

/** Does the work for whoever holds the key. Never throws: what goes wrong is answered. */
export function askedByKey(
  deps: QuestionDeps,
  exchange: Exchange,
  work: (caller: Caller) => Promise<void>,
): Promise<void> {
  return answered(deps, exchange, async () => {
    const { authenticator, gates } = deps;
    const caller = await authenticator.authenticate(exchange);
    refuseBrowserExtensions(exchange);
    gates.enterUser(exchange, caller.user.id);
    try {
      await work(caller);
    } finally {
      gates.leaveUser(caller.user.id);
    }
  });
}

/** Does work that needs no key of a user's. Never throws: what goes wrong is answered. */
export async function answered(
  { gates, serving }: Pick<QuestionDeps, 'gates' | 'serving'>,
  exchange: Exchange,
  work: () => Promise<void>,
): Promise<void> {
  let entered = false;
  try {
    gates.enter(exchange);
    entered = true;
    await work();
  } catch (error) {
    discardBody(exchange);
    serving.refuse(exchange, error);
  } finally {
    if (entered) gates.leave(exchange);
  }
}
