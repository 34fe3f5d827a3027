/** Fresh proof of who sits there: bound to a session and to one kind of action, for five minutes (N6, S10). */
import type { ProofAction } from '../contract/proof-actions.ts';
import { roles } from '../contract/roles.ts';
import type { ProofMethod, StepUpRequired } from '../contract/step-up.ts';
import { TollgateError } from '../errors.ts';
import type { Stores } from '../store/database.ts';
import type { UserRecord } from '../store/users.ts';
import type { Actor } from './actor.ts';
import { type GuessLimits, takeOwnTry } from './failure-limits.ts';
import type { PasskeyCheck, UsedPasskey } from './passkey-check.ts';
import type { Passwords } from './passwords.ts';
import type { CodeVerdict, SecondFactors } from './second-factors.ts';
import { type FreshProof, proofSeconds, type SessionService } from './sessions.ts';

export interface StepUpDeps extends GuessLimits {
  readonly stores: Pick<Stores, 'users'>;
  readonly sessions: SessionService;
  readonly factors: Pick<SecondFactors, 'state' | 'take'>;
  readonly passkeys: Pick<PasskeyCheck, 'isOffered' | 'ask' | 'take'>;
  readonly passwords: Passwords;
  /** Whether administrators are asked as well for what they do with channel keys, root's options and ways to sign in. */
  readonly administration: 'asked' | 'not-asked';
  readonly nowSeconds: () => number;
}

/** What is shown for a proof: the password, a code, or a passkey that was unlocked for it. */
export type ShownProof =
  | { readonly method: Exclude<ProofMethod, 'passkey'>; readonly secret: string }
  | { readonly method: 'passkey'; readonly used: UsedPasskey };

const administration: ReadonlySet<ProofAction> = new Set(['channel_key', 'option', 'sign_in_method']);

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
    // Common users administrate nothing that another way into their account would open.
    if (action === 'sign_in_method' && actor.role < roles.admin) return;
    const session = await sessions.find(sessionId);
    const now = nowSeconds();
    if (session?.state.proofs.some((proof) => proof.action === action && proof.expiresAt > now)) return;
    const user = await stores.users.find(actor.userId);
    if (!user) throw new TollgateError('user_gone');
    const { enabled } = await factors.state(actor);
    // Deleting the account and its access token stay what they were for clients of accounts with a password alone; but an
    // administrator's token may do all that is asked for, unasked.
    const isAdministration = this.#deps.administration === 'asked' && actor.role >= roles.admin;
    if (action === 'account' && !enabled && !isAdministration) return;
    const methods = await this.#methods(user);
    // Whoever has neither password nor app has at least just come in by way of a provider.
    const hasOwn = methods.some((method) => method !== 'passkey');
    if (!hasOwn && session && session.createdAt + proofSeconds > now) return;
    const data: StepUpRequired = { action, methods };
    throw new TollgateError('step_up_required', {}, { data });
  }

  /** What the browser is asked to sign for a proof by passkey. Throws `passkey_off`, `session_expired`. */
  beginPasskey(actor: Actor, sessionId: string | undefined, action: ProofAction): Promise<object> {
    return this.#deps.passkeys.ask(subjectOf(sessionId, action), actor.userId);
  }

  /**
   * Takes a proof; returns until when it counts, in Unix seconds. Throws `step_up_failed`, `two_factor_code_used` and
   * `passkey_refused`.
   */
  async prove(actor: Actor, sessionId: string | undefined, action: ProofAction, shown: ShownProof): Promise<number> {
    const { stores, sessions, nowSeconds } = this.#deps;
    const refusal = () => new TollgateError('step_up_failed', {}, { field: fieldOf(shown.method) });
    const user = await stores.users.find(actor.userId);
    if (!user || !(await this.#methods(user)).includes(shown.method)) throw refusal();
    const giveBack = await takeOwnTry(this.#deps, actor, refusal);
    const verdict = await this.#verdictOn(user, subjectOf(sessionId, action), shown);
    if (verdict === 'used') throw new TollgateError('two_factor_code_used', {}, { field: 'code' });
    if (verdict === 'wrong') throw refusal();
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
    const { factors, passkeys } = this.#deps;
    const { enabled, recoveryLeft } = await factors.state({ userId: user.id });
    const methods: ProofMethod[] = [];
    if (enabled) methods.push('totp');
    if (enabled && recoveryLeft > 0) methods.push('recovery');
    if (!enabled && user.password !== '') methods.push('password');
    if (await passkeys.isOffered(user.id)) methods.push('passkey');
    return methods;
  }

  async #verdictOn(user: UserRecord, subject: string, shown: ShownProof): Promise<CodeVerdict> {
    const { passwords, factors, passkeys } = this.#deps;
    if (shown.method === 'passkey') {
      return (await passkeys.take(subject, shown.used)).id === user.id ? 'right' : 'wrong';
    }
    const { method, secret } = shown;
    if (method === 'password') return (await passwords.matches(secret, user.password)) ? 'right' : 'wrong';
    return factors.take(user.id, { method, code: secret });
  }
}

/** The proofs of a session with another one; each action has one at most, so that they stay few. */
function withProof(proofs: readonly FreshProof[], added: FreshProof): FreshProof[] {
  return [...proofs.filter(({ action }) => action !== added.action), added];
}

function fieldOf(method: ProofMethod): string {
  return method === 'password' || method === 'passkey' ? method : 'code';
}

/** What a passkey is unlocked for: this kind of action in this session. Throws `session_expired`. */
function subjectOf(sessionId: string | undefined, action: ProofAction): string {
  if (sessionId === undefined) throw new TollgateError('session_expired');
  return `proof ${sessionId} ${action}`;
}
