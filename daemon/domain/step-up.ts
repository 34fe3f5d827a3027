/** Fresh proof of who sits there: bound to a session and to one kind of action, for five minutes (N6, S10). */
import type { Counters } from '../cluster/counters.ts';
import type { ProofAction } from '../contract/proof-actions.ts';
import type { ProofMethod, StepUpRequired } from '../contract/step-up.ts';
import { TollgateError } from '../errors.ts';
import type { Stores } from '../store/database.ts';
import type { UserRecord } from '../store/users.ts';
import type { Actor } from './actor.ts';
import { addressBucket } from './api-limits.ts';
import { type FailureLimit, takeTry } from './failure-limits.ts';
import type { Passwords } from './passwords.ts';
import type { SecondFactors } from './second-factors.ts';
import { type FreshProof, proofSeconds, type SessionService } from './sessions.ts';

export interface StepUpDeps {
  readonly stores: Pick<Stores, 'users'>;
  readonly sessions: SessionService;
  readonly factors: Pick<SecondFactors, 'state' | 'take'>;
  readonly passwords: Passwords;
  readonly counters: Pick<Counters, 'slide' | 'giveBack'>;
  readonly failuresPerName: FailureLimit;
  readonly failuresPerAddress: FailureLimit;
  /** Whether what administrators do with channel keys and root's options is asked for as well. */
  readonly administration: 'asked' | 'not-asked';
  readonly nowSeconds: () => number;
}

/** What is shown for a proof. */
export interface ShownProof {
  readonly method: ProofMethod;
  /** The password, or the code. */
  readonly secret: string;
}

const administration: ReadonlySet<ProofAction> = new Set(['channel_key', 'option']);

export class StepUp {
  readonly #deps: StepUpDeps;

  constructor(deps: StepUpDeps) {
    this.#deps = deps;
  }

  /** Lets a call pass that needs no proof, or whose session holds one for this action. Throws `step_up_required`. */
  async require(actor: Actor, sessionId: string | undefined, action: ProofAction): Promise<void> {
    const { sessions, stores, factors, nowSeconds } = this.#deps;
    // A token was made by somebody who could prove it; whoever holds one has nobody to ask.
    if (actor.via !== 'session' || sessionId === undefined) return;
    if (administration.has(action) && this.#deps.administration === 'not-asked') return;
    const session = await sessions.find(sessionId);
    const now = nowSeconds();
    if (session?.state.proofs.some((proof) => proof.action === action && proof.expiresAt > now)) return;
    const user = await stores.users.find(actor.userId);
    if (!user) throw new TollgateError('user_gone');
    const { enabled } = await factors.state(actor);
    // Deleting the account and its access token stay what they were for clients of accounts with a password alone.
    if (action === 'account' && !enabled) return;
    const methods = await this.#methods(user);
    // Whoever has nothing to show has at least just come in by way of a provider.
    if (methods.length === 0 && session && session.createdAt + proofSeconds > now) return;
    const data: StepUpRequired = { action, methods };
    throw new TollgateError('step_up_required', {}, { data });
  }

  /** Takes a proof; returns until when it counts, in Unix seconds. Throws `step_up_failed`. */
  async prove(actor: Actor, sessionId: string | undefined, action: ProofAction, shown: ShownProof): Promise<number> {
    const { stores, sessions, nowSeconds } = this.#deps;
    const refusal = () => new TollgateError('step_up_failed', {}, { field: fieldOf(shown.method) });
    const user = await stores.users.find(actor.userId);
    if (!user || !(await this.#methods(user)).includes(shown.method)) throw refusal();
    const giveBack = await this.#countFailure(actor, refusal);
    if (!(await this.#isProven(user, shown))) throw refusal();
    await giveBack();
    const proof = { action, expiresAt: nowSeconds() + proofSeconds };
    const changed =
      sessionId !== undefined &&
      (await sessions.change(sessionId, (state) => ({ ...state, proofs: withProof(state.proofs, proof) })));
    if (!changed) throw new TollgateError('session_expired');
    return proof.expiresAt;
  }

  /** An account with a second factor is not proven by its password: whoever stole the session may know that too. */
  async #methods(user: Pick<UserRecord, 'id' | 'password'>): Promise<ProofMethod[]> {
    const { enabled, recoveryLeft } = await this.#deps.factors.state({ userId: user.id });
    if (enabled) return recoveryLeft > 0 ? ['totp', 'recovery'] : ['totp'];
    return user.password === '' ? [] : ['password'];
  }

  #isProven(user: UserRecord, { method, secret }: ShownProof): Promise<boolean> {
    const { passwords, factors } = this.#deps;
    if (method === 'password') return passwords.matches(secret, user.password);
    return factors.take(user.id, { method, code: secret });
  }

  /** Counted with the second steps of sign-ins: it is the same guessing. */
  #countFailure(actor: Actor, refusal: () => Error): Promise<() => Promise<void>> {
    const { counters, failuresPerName, failuresPerAddress } = this.#deps;
    const windows = [
      { key: `login-failures:second:${actor.userId}`, limit: failuresPerName },
      { key: `login-failures:address:${addressBucket(actor.ip)}`, limit: failuresPerAddress },
    ];
    return takeTry(counters, windows, refusal);
  }
}

/** The proofs of a session with another one; each action has one at most, so that they stay few. */
export function withProof(proofs: readonly FreshProof[], added: FreshProof): FreshProof[] {
  return [...proofs.filter(({ action }) => action !== added.action), added];
}

function fieldOf(method: ProofMethod): string {
  return method === 'password' ? 'password' : 'code';
}
