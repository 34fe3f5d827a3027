/** Between the first proof of who somebody is and the session: the second factor, where the account has one (N1). */
import type { Counters } from '../cluster/counters.ts';
import { TollgateError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import type { UserRecord } from '../store/users.ts';
import { addressBucket } from './api-limits.ts';
import { auditBy } from './audits.ts';
import { equalSecrets } from './equal-secrets.ts';
import { type FailureLimit, takeTry } from './failure-limits.ts';
import type { PasskeyCheck, UsedPasskey } from './passkey-check.ts';
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

export type SecondStepMethod = ShownFactor['method'];

/** What is shown for the second step. */
export type ShownFactor = TypedCode | { readonly method: 'passkey'; readonly used: UsedPasskey };

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
  readonly passkeys: Pick<PasskeyCheck, 'isOffered' | 'ask' | 'take'>;
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

  /** What the browser is asked to sign for a second step by passkey. Throws `two_factor_expired`, `passkey_off`. */
  async beginPasskey(ticket: string, sessionId: string | undefined): Promise<object> {
    const { sessions, passkeys } = this.#deps;
    const step = sessionId === undefined ? undefined : (await sessions.find(sessionId))?.state.secondStep;
    if (!this.#isUsable(step, ticket)) throw new TollgateError('two_factor_expired');
    return passkeys.ask(subjectOf(ticket), step.userId);
  }

  /**
   * Takes the second factor, which with `prove` also counts as a fresh proof for that action in the new session. Throws
   * `two_factor_expired` when to begin anew, `two_factor_code_invalid`, `two_factor_code_used` and `passkey_refused` when
   * to try again.
   */
  async finish(
    {
      ticket,
      prove,
      shown,
    }: { readonly ticket: string; readonly prove?: string | undefined; readonly shown: ShownFactor },
    origin: Origin,
  ): Promise<SignedIn> {
    const step = await this.#takeTry(ticket, origin.sessionId);
    const giveBack = await this.#countFailure(step.userId, origin.clientAddress);
    const user = await this.#userOf(step);
    await this.#take(user, ticket, shown);
    await giveBack();
    const proofs = prove === undefined ? [] : [{ action: prove, expiresAt: this.#deps.nowSeconds() + proofSeconds }];
    return this.open(user, { method: step.method, signOut: step.signOut, second: shown.method, proofs }, origin);
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
    const { factors, passkeys } = this.#deps;
    const { recoveryLeft } = await factors.state({ userId });
    const methods: SecondStepMethod[] = recoveryLeft > 0 ? ['totp', 'recovery'] : ['totp'];
    return (await passkeys.isOffered(userId)) ? [...methods, 'passkey'] : methods;
  }

  /** Uses up what is shown; throws where it proves nothing. */
  async #take(user: UserRecord, ticket: string, shown: ShownFactor): Promise<void> {
    const { factors, passkeys } = this.#deps;
    if (shown.method === 'passkey') {
      const holder = await passkeys.take(subjectOf(ticket), shown.used);
      if (holder.id !== user.id) throw new TollgateError('passkey_refused');
      return;
    }
    const verdict = await factors.take(user.id, shown);
    if (verdict !== 'right') throw new TollgateError(codeRefusals[verdict], {}, { field: 'code' });
  }

  #isUsable(step: OpenSecondStep | undefined, ticket: string): step is OpenSecondStep {
    if (step === undefined || !equalSecrets(step.ticket, ticket)) return false;
    return step.expiresAt > this.#deps.nowSeconds() && step.tries < triesPerTicket;
  }

  /** The step that the ticket of this very visitor stands for. Every call is a try, right or wrong. */
  async #takeTry(ticket: string, sessionId: string | undefined): Promise<OpenSecondStep> {
    const { sessions } = this.#deps;
    const before =
      sessionId === undefined
        ? undefined
        : await sessions.change(sessionId, (state) => ({
            ...state,
            secondStep: this.#isUsable(state.secondStep, ticket)
              ? { ...state.secondStep, tries: state.secondStep.tries + 1 }
              : state.secondStep,
          }));
    const step = before?.secondStep;
    if (!this.#isUsable(step, ticket)) throw new TollgateError('two_factor_expired');
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

/** Why a code is refused, by its verdict. */
const codeRefusals = { used: 'two_factor_code_used', wrong: 'two_factor_code_invalid' } as const;

/** What a passkey is unlocked for: this very sign-in. */
function subjectOf(ticket: string): string {
  return `second step ${ticket}`;
}
