/** Between the first proof of who somebody is and the session: the second factor, where the account has one (N1). */
import type { Counters } from '../cluster/counters.ts';
import { TollgateError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import type { UserRecord } from '../store/users.ts';
import { addressBucket } from './api-limits.ts';
import { auditBy } from './audits.ts';
import { equalSecrets } from './equal-secrets.ts';
import { type FailureLimit, takeTry } from './failure-limits.ts';
import { randomToken } from './random-text.ts';
import type { SecondFactors, TypedCode } from './second-factors.ts';
import {
  type FreshProof,
  type OpenSecondStep,
  proofSeconds,
  type SessionService,
  type SignOutElsewhere,
} from './sessions.ts';

/** Where a call comes from. */
export interface Origin {
  readonly clientAddress: string;
  readonly userAgent: string;
  /** Session of the visitor, which a new one replaces. */
  readonly sessionId: string | undefined;
}

/** How a user has proven to be one. */
export interface SignInWay {
  /** Such as `password` or `github`, for the audit trail. */
  readonly method: string;
  readonly signOut?: SignOutElsewhere | undefined;
}

export type SecondStepMethod = TypedCode['method'];

/** A sign-in that lacks its second factor. */
export interface PendingSignIn {
  readonly kind: 'second-step';
  readonly ticket: string;
  readonly methods: readonly SecondStepMethod[];
  /** Session that was opened to remember it; undefined when there was one. */
  readonly openedSession: string | undefined;
}

export type SignInOutcome = SignedIn | PendingSignIn;

export interface SignedIn {
  readonly kind: 'signed-in';
  readonly user: UserRecord;
  readonly sessionId: string;
}

export interface SecondStepDeps {
  readonly database: Database;
  readonly sessions: SessionService;
  readonly factors: Pick<SecondFactors, 'isOn' | 'state' | 'take'>;
  readonly counters: Pick<Counters, 'slide' | 'giveBack'>;
  readonly failuresPerName: FailureLimit;
  readonly failuresPerAddress: FailureLimit;
  readonly nowSeconds: () => number;
}

const ticketSeconds = 300;
/** Codes that may be tried with one ticket. */
const triesPerTicket = 5;

export class SecondStep {
  readonly #deps: SecondStepDeps;

  constructor(deps: SecondStepDeps) {
    this.#deps = deps;
  }

  /** Opens a session for a user who has proven to be one, or asks for the second factor of the account. */
  async admit(user: UserRecord, way: SignInWay, origin: Origin): Promise<SignInOutcome> {
    const { sessions, factors, nowSeconds } = this.#deps;
    if (!(await factors.isOn(user.id))) return this.open(user, way, origin);
    const step: OpenSecondStep = {
      ticket: randomToken(),
      userId: user.id,
      authVersion: user.authVersion,
      method: way.method,
      signOut: way.signOut ?? { provider: '', hint: '' },
      expiresAt: nowSeconds() + ticketSeconds,
      tries: 0,
    };
    const { clientAddress: ip, userAgent } = origin;
    const openedSession = await sessions.remember(origin.sessionId, { ip, userAgent }, (state) => ({
      ...state,
      secondStep: step,
    }));
    return { kind: 'second-step', ticket: step.ticket, methods: await this.#methods(user.id), openedSession };
  }

  /**
   * Takes the second factor, which with `prove` also counts as a fresh proof for that action in the new session. Throws `two_factor_expired` when to begin anew, `two_factor_code_invalid` when to try again.
   */
  async finish(
    { ticket, prove, ...typed }: TypedCode & { readonly ticket: string; readonly prove?: string | undefined },
    origin: Origin,
  ): Promise<SignedIn> {
    const { factors } = this.#deps;
    const step = await this.#takeTry(ticket, origin.sessionId);
    const giveBack = await this.#countFailure(step.userId, origin.clientAddress);
    const user = await this.#userOf(step);
    if (!(await factors.take(user.id, typed)))
      throw new TollgateError('two_factor_code_invalid', {}, { field: 'code' });
    await giveBack();
    const proofs = prove === undefined ? [] : [{ action: prove, expiresAt: this.#deps.nowSeconds() + proofSeconds }];
    return this.open(user, { method: step.method, signOut: step.signOut, second: typed.method, proofs }, origin);
  }

  /** Opens a session for a user who needs to prove nothing more. */
  async open(
    user: UserRecord,
    way: SignInWay & { readonly second?: string; readonly proofs?: readonly FreshProof[] },
    { clientAddress: ip, userAgent, sessionId: replaces }: Origin,
  ): Promise<SignedIn> {
    const { database, sessions, nowSeconds } = this.#deps;
    const sessionId = await sessions.openFor(user, {
      ip,
      userAgent,
      replaces,
      signOut: way.signOut,
      proofs: way.proofs,
    });
    const now = nowSeconds();
    const second = way.second === undefined ? {} : { second: way.second };
    const detail = { method: way.method, ...second, user_agent: userAgent };
    const act = { action: 'session.open', target: `user:${user.id}`, detail };
    await database.transaction(async (stores) => {
      await stores.users.setLastLogin(user.id, now);
      await stores.audits.append(auditBy({ userId: user.id, username: user.username, ip }, act, now));
    });
    return { kind: 'signed-in', user, sessionId };
  }

  async #methods(userId: number): Promise<SecondStepMethod[]> {
    const { recoveryLeft } = await this.#deps.factors.state({ userId });
    return recoveryLeft > 0 ? ['totp', 'recovery'] : ['totp'];
  }

  /** The step that the ticket of this very visitor stands for. Every call is a try, right or wrong. */
  async #takeTry(ticket: string, sessionId: string | undefined): Promise<OpenSecondStep> {
    const { sessions, nowSeconds } = this.#deps;
    const now = nowSeconds();
    const isUsable = (step: OpenSecondStep | undefined): step is OpenSecondStep =>
      step !== undefined && equalSecrets(step.ticket, ticket) && step.expiresAt > now && step.tries < triesPerTicket;
    const before =
      sessionId === undefined
        ? undefined
        : await sessions.change(sessionId, (state) => ({
            ...state,
            secondStep: isUsable(state.secondStep)
              ? { ...state.secondStep, tries: state.secondStep.tries + 1 }
              : state.secondStep,
          }));
    const step = before?.secondStep;
    if (!isUsable(step)) throw new TollgateError('two_factor_expired');
    return step;
  }

  /** Wrong codes count for the account whatever ticket they come with, or a known password would buy as many as one likes. */
  #countFailure(userId: number, clientAddress: string): Promise<() => Promise<void>> {
    const { counters, failuresPerName, failuresPerAddress } = this.#deps;
    const windows = [
      { key: `login-failures:second:${userId}`, limit: failuresPerName },
      { key: `login-failures:address:${addressBucket(clientAddress)}`, limit: failuresPerAddress },
    ];
    return takeTry(counters, windows, () => new TollgateError('two_factor_code_invalid', {}, { field: 'code' }));
  }

  /** The user of the first step, unless something has ended their sessions since. */
  async #userOf({ userId, authVersion }: OpenSecondStep): Promise<UserRecord> {
    const user = await this.#deps.database.stores.users.find(userId);
    const isUsable = user?.deletedAt === null && user.status === 1 && user.authVersion === authVersion;
    if (!user || !isUsable) throw new TollgateError('two_factor_expired');
    return user;
  }
}
