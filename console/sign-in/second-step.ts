/** A sign-in that waits for its second factor; the sign-in page asks for it, whichever way began it. */
import { ApiError } from '../../daemon/contract/client.ts';
import type { TwoFactorRequired } from '../../daemon/contract/second-factor.ts';
import { Store } from '../session/store.ts';

export interface PendingStep extends TwoFactorRequired {
  /** Where to go on to once it is done. */
  readonly target: string;
}

/** In memory alone: a reload begins the sign-in anew. */
export const pendingStep = new Store<PendingStep | undefined>(undefined);

/** What a refused sign-in lacks; undefined when it was refused for good. */
export async function neededStep(error: unknown): Promise<TwoFactorRequired | undefined> {
  if (!(error instanceof ApiError) || error.code !== 'two_factor_required') return undefined;
  // Not loaded with each page at the front door: most accounts have no second factor.
  const contract = await import('../../daemon/contract/second-factor.ts');
  const needed = contract.TwoFactorRequired.safeParse(error.data);
  return needed.success ? needed.data : undefined;
}
