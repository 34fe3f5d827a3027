/** A call that wants a fresh proof of who sits there (console.md 1.4, N6) waits for it, and is then made once more. */
import { ApiError } from '../../daemon/contract/client.ts';
import type { StepUpRequired } from '../../daemon/contract/step-up.ts';
import { Store } from '../session/store.ts';

export interface PendingProof {
  readonly required: StepUpRequired;
  /** True once it was given. */
  readonly answer: (isProven: boolean) => void;
}

/** The proof that is being asked for. */
export const pendingProof = new Store<PendingProof | undefined>(undefined);

/** True when a refused call may be made again; a proof that the user will not give ends it without a word. */
export async function proveFor(refusal: ApiError): Promise<boolean> {
  if (refusal.code !== 'step_up_required' || pendingProof.get()) return false;
  const { StepUpRequired } = await import('../../daemon/contract/step-up.ts');
  const required = StepUpRequired.safeParse(refusal.data);
  if (!required.success || required.data.methods.length === 0) return false;
  const isProven = await new Promise<boolean>((answer) => {
    pendingProof.set({ required: required.data, answer });
  });
  pendingProof.set(undefined);
  if (!isProven) throw new ApiError({ code: 'aborted', message: 'no proof was given', status: 0, cause: refusal });
  return true;
}
