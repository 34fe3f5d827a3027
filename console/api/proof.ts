/** A call that wants a fresh proof of who sits there (console.md 1.4, N6) waits for it, and is then made once more. */
import { ApiError } from '../../daemon/contract/client.ts';
import type { StepUpRequired } from '../../daemon/contract/step-up.ts';
import { Store } from '../session/store.ts';

export interface PendingProof {
  readonly required: StepUpRequired;
  /** True once it was given. */
  readonly answer: (isProven: boolean) => void;
  /** What the answer will be. */
  readonly isProven: Promise<boolean>;
}

/** The proof that is being asked for. */
export const pendingProof = new Store<PendingProof | undefined>(undefined);

/** True when a refused call may be made again; a proof that the user will not give ends it without a word. */
export async function proveFor(refusal: ApiError): Promise<boolean> {
  if (refusal.code !== 'step_up_required') return false;
  const { StepUpRequired } = await import('../../daemon/contract/step-up.ts');
  const required = StepUpRequired.safeParse(refusal.data);
  if (!required.success || required.data.methods.length === 0) return false;
  const open = pendingProof.get();
  if (open && open.required.action !== required.data.action) return false;
  // Options are sent several at a time, and refused likewise: one proof is enough for all of them.
  const isProven = await (open?.isProven ?? askFor(required.data));
  if (!isProven) throw new ApiError({ code: 'aborted', message: 'no proof was given', status: 0, cause: refusal });
  return true;
}

/** Refuses what is being asked for, as when whoever sat there has gone. */
export function dismissProof(): void {
  pendingProof.get()?.answer(false);
}

function askFor(required: StepUpRequired): Promise<boolean> {
  let resolve: (isProven: boolean) => void = () => undefined;
  const isProven = new Promise<boolean>((resolvePromise) => {
    resolve = resolvePromise;
  });
  const answer = (given: boolean) => {
    // One that was given up while it was on its way answers late: by then another may be asked for.
    if (pendingProof.get() === proof) pendingProof.set(undefined);
    resolve(given);
  };
  const proof = { required, answer, isProven };
  pendingProof.set(proof);
  return isProven;
}
