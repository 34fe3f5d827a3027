/** The human check (Turnstile) before sign-in, registration and mails (management-api.md 3.3). */
import type { OptionsView } from '../contract/options.ts';
import { TollgateError } from '../errors.ts';
import type { SessionService } from './sessions.ts';

/** Asks the service that issued the widget; false when it refuses or cannot be reached. */
export type HumanCheckVerifier = (answer: {
  readonly secret: string;
  readonly response: string;
  readonly clientAddress: string;
}) => Promise<boolean>;

export interface HumanCheckDeps {
  readonly options: () => OptionsView;
  /** Undefined refuses every answer while the check is switched on. */
  readonly verify: HumanCheckVerifier | undefined;
  readonly sessions: Pick<SessionService, 'find' | 'remember'>;
  readonly nowSeconds: () => number;
}

export interface HumanCheckAttempt {
  /** Answer of the widget, from the query. */
  readonly response: string | undefined;
  /** The caller's session, signed in or not. */
  readonly sessionId: string | undefined;
  readonly clientAddress: string;
  readonly userAgent: string;
}

/** How long one answer counts: a widget answer is single-use, while registering needs two calls. */
const passSeconds = 30 * 60;

export class HumanCheck {
  readonly #deps: HumanCheckDeps;

  constructor(deps: HumanCheckDeps) {
    this.#deps = deps;
  }

  /**
   * Lets the call pass, or throws `turnstile_missing` or `turnstile_failed`. Returns the id of a new anonymous session
   * that remembers the pass; undefined when none was needed.
   */
  async require(attempt: HumanCheckAttempt): Promise<string | undefined> {
    const { options, verify, sessions, nowSeconds } = this.#deps;
    if (!options().get('TurnstileCheckEnabled')) return undefined;
    const session = attempt.sessionId === undefined ? undefined : await sessions.find(attempt.sessionId);
    if (session && session.state.humanUntil > nowSeconds()) return undefined;
    if (!attempt.response) throw new TollgateError('turnstile_missing');
    const passed = await verify?.({
      secret: options().get('TurnstileSecretKey'),
      response: attempt.response,
      clientAddress: attempt.clientAddress,
    });
    if (!passed) throw new TollgateError('turnstile_failed');
    // Whoever is signed in stays so; only anonymous sessions remember the pass (W35).
    if (session && session.userId !== null) return undefined;
    const origin = { ip: attempt.clientAddress, userAgent: attempt.userAgent };
    const humanUntil = nowSeconds() + passSeconds;
    return sessions.remember(attempt.sessionId, origin, (state) => ({ ...state, humanUntil }));
  }
}
