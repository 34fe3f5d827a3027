/** Signing in with an account elsewhere, and binding one to an account here (management-api.md 3.5). */
import { createHash, randomUUID } from 'node:crypto';
import type { Bus } from '../cluster/bus.ts';
import type { OptionsView } from '../contract/options.ts';
import { TollgateError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import type { ExternalIdentity, UserRecord } from '../store/users.ts';
import { isExternalId } from './account-rules.ts';
import type { Actor } from './actor.ts';
import { auditBy } from './audits.ts';
import type { ExternalRegistration } from './external-registration.ts';
import type { ExternalAccount, IdentityProvider, IdentityProviderId, ProviderGrant } from './identity-provider.ts';
import { lockOwnRow } from './own-row.ts';
import { randomToken } from './random-text.ts';
import type { SecondStep, SignInOutcome } from './second-step.ts';
import type { OpenSignIn, SessionService, SignOutElsewhere } from './sessions.ts';
import { checkSetup } from './setup-check.ts';
import { type TelegramAnswer, telegramAccount, telegramAnswerSeconds } from './telegram-login.ts';

export interface ExternalSignInDeps {
  readonly database: Database;
  readonly bus: Pick<Bus, 'announce'>;
  readonly sessions: SessionService;
  readonly secondStep: Pick<SecondStep, 'admit'>;
  readonly setupDone: () => boolean;
  readonly registration: ExternalRegistration;
  readonly providers: readonly IdentityProvider[];
  readonly options: () => OptionsView;
  readonly nowSeconds: () => number;
  /** Told why a provider could not say who has come. */
  readonly report: (cause: unknown) => void;
}

/** Where a call comes from. */
export interface Visit {
  readonly clientAddress: string;
  readonly userAgent: string;
  readonly sessionId: string | undefined;
  readonly requestId: string;
}

/** What a visitor takes to the provider. */
export interface BegunSignIn {
  readonly state: string;
  /** S256 challenge and nonce; undefined where the provider is not asked for them. */
  readonly challenge: { readonly codeChallenge: string; readonly nonce: string } | undefined;
  /** Session that was opened to remember the state; undefined when there was one. */
  readonly openedSession: string | undefined;
}

/** What came of a provider's answer: a session or the question for the second factor, or a binding. */
export type FinishedSignIn = SignInOutcome | { readonly kind: 'bound' };

const stateSeconds = 600;
const openStates = 5;
const noGrant = { codeVerifier: '', nonce: '' };
const telegram = { name: 'Telegram', identity: 'telegramId' } as const;

export class ExternalSignIn {
  readonly #deps: ExternalSignInDeps;

  constructor(deps: ExternalSignInDeps) {
    this.#deps = deps;
  }

  /** Opens a state for one sign-in; with `oidc` also a code challenge and a nonce. Throws `setup_required`. */
  async begin(wish: { affCode: string; provider: string }, visit: Visit): Promise<BegunSignIn> {
    const { sessions, nowSeconds } = this.#deps;
    await checkSetup(this.#deps);
    const isChallenged = wish.provider === 'oidc';
    const signIn: OpenSignIn = {
      state: randomToken(),
      provider: this.#deps.providers.some(({ id }) => id === wish.provider) ? wish.provider : '',
      affCode: wish.affCode.slice(0, 32),
      expiresAt: nowSeconds() + stateSeconds,
      nonce: isChallenged ? randomUUID() : '',
      codeVerifier: isChallenged ? randomToken() : '',
    };
    const origin = { ip: visit.clientAddress, userAgent: visit.userAgent };
    const openedSession = await sessions.remember(visit.sessionId, origin, (state) => ({
      ...state,
      affCode: signIn.affCode || state.affCode,
      signIns: [...state.signIns, signIn].slice(-openStates),
    }));
    const codeChallenge = createHash('sha256').update(signIn.codeVerifier).digest('base64url');
    return {
      state: signIn.state,
      challenge: isChallenged ? { codeChallenge, nonce: signIn.nonce } : undefined,
      openedSession,
    };
  }

  /**
   * Takes a provider's answer: binds the account for whoever is signed in, else signs in or registers. Throws
   * `setup_required`, `oauth_state`, `oauth_off`, `oauth_exchange`, `oauth_taken`, `user_disabled`, `user_gone`,
   * `register_off`.
   * @param actor who is signed in by the session alone
   */
  async finish(
    providerId: IdentityProviderId,
    answer: { code: string; state: string; actor: Actor | undefined },
    visit: Visit,
  ): Promise<FinishedSignIn> {
    await checkSetup(this.#deps);
    // Used up before anything else, so that no answer is taken twice (W11).
    const begun = await this.#takeState(answer.state, visit.sessionId);
    // What one provider hands out must not be passed off as another's answer (RFC 9700, 4.4: mix-up).
    if (begun.provider !== '' && begun.provider !== providerId) throw new TollgateError('oauth_state');
    const provider = this.#enabled(providerId);
    const account = await this.#exchange(provider, { ...begun, code: answer.code });
    if (answer.actor) {
      await this.#bind(answer.actor, provider, account.id);
      return { kind: 'bound' };
    }
    return this.#enter(provider, account, { ...visit, affCode: begun.affCode });
  }

  /** Signs in or registers by a code without state. Throws as `finish`. */
  async byCode(providerId: IdentityProviderId, code: string, visit: Visit): Promise<SignInOutcome> {
    const { sessions } = this.#deps;
    await checkSetup(this.#deps);
    const provider = this.#enabled(providerId);
    const account = await this.#exchange(provider, { ...noGrant, code });
    const session = visit.sessionId === undefined ? undefined : await sessions.find(visit.sessionId);
    return this.#enter(provider, account, { ...visit, affCode: session?.state.affCode ?? '' });
  }

  /** Binds the account behind a code. Throws `oauth_off`, `oauth_exchange`, `oauth_taken`. */
  async bindByCode(providerId: IdentityProviderId, code: string, actor: Actor): Promise<void> {
    const provider = this.#enabled(providerId);
    const account = await this.#exchange(provider, { ...noGrant, code });
    await this.#bind(actor, provider, account.id);
  }

  /**
   * Signs in by the bot's widget, never registers. Throws `setup_required`, `oauth_off`, `oauth_exchange`,
   * `oauth_unbound`, `user_disabled`, `user_gone`.
   */
  async byTelegram(answer: TelegramAnswer, visit: Visit): Promise<SignInOutcome> {
    await checkSetup(this.#deps);
    const id = await this.#telegramAccount(answer);
    const user = await this.#findOwner(telegram, id);
    if (!user) throw new TollgateError('oauth_unbound', { provider: telegram.name });
    return this.#deps.secondStep.admit(user, { method: 'telegram' }, visit);
  }

  /** Throws `oauth_off`, `oauth_exchange`, `oauth_taken`. */
  async bindTelegram(answer: TelegramAnswer, actor: Actor): Promise<void> {
    await this.#bind(actor, telegram, await this.#telegramAccount(answer));
  }

  /** Where the browser of a session that has just ended signs out at its provider too; undefined for most. */
  async signOutAddress({ provider: id, hint }: SignOutElsewhere): Promise<string | undefined> {
    const { providers, options, report } = this.#deps;
    const provider = providers.find((known) => known.id === id);
    if (!provider?.signOutAddress || !provider.isEnabled(options())) return undefined;
    try {
      return await provider.signOutAddress(hint, options());
    } catch (cause) {
      // The session here has ended; that there is no way on from here must not turn that into a failure.
      report(cause);
      return undefined;
    }
  }

  #enabled(id: IdentityProviderId): IdentityProvider {
    const { providers, options } = this.#deps;
    const provider = providers.find((known) => known.id === id);
    if (!provider?.isEnabled(options())) throw new TollgateError('oauth_off', { provider: provider?.name ?? id });
    return provider;
  }

  async #takeState(state: string, sessionId: string | undefined): Promise<OpenSignIn> {
    const { sessions, nowSeconds } = this.#deps;
    const before =
      sessionId === undefined || state === ''
        ? undefined
        : await sessions.change(sessionId, (held) => ({
            ...held,
            signIns: held.signIns.filter((signIn) => signIn.state !== state),
          }));
    const taken = before?.signIns.find((signIn) => signIn.state === state);
    if (!taken || taken.expiresAt <= nowSeconds()) throw new TollgateError('oauth_state');
    return taken;
  }

  async #exchange(provider: IdentityProvider, { code, codeVerifier, nonce }: ProviderGrant): Promise<ExternalAccount> {
    const { options, report } = this.#deps;
    const refused = (cause?: unknown) => new TollgateError('oauth_exchange', { provider: provider.name }, { cause });
    if (code === '' || code.length > 4096) throw refused();
    try {
      const account = await provider.exchange({ code, codeVerifier, nonce }, options());
      if (!isExternalId(account.id)) throw new Error(`${provider.name} named no account`);
      return account;
    } catch (cause) {
      report(cause);
      throw refused(cause);
    }
  }

  /** Remembers the answer for as long as it would be accepted, so that it is taken once. */
  async #telegramAccount(answer: TelegramAnswer): Promise<string> {
    const { options, database, nowSeconds } = this.#deps;
    const view = options();
    if (!view.get('TelegramOAuthEnabled')) throw new TollgateError('oauth_off', { provider: telegram.name });
    const botToken = view.get('TelegramBotToken');
    const id = telegramAccount(answer, { botToken, nowSeconds: nowSeconds() });
    const refusal = () => new TollgateError('oauth_exchange', { provider: telegram.name });
    if (id === undefined) throw refusal();
    const used = { purpose: 'telegram-answer', subject: answer.hash ?? '' };
    const now = nowSeconds();
    // An answer may be a minute ahead, and so may the clock of another node.
    const until = now + telegramAnswerSeconds + 120;
    if (!(await database.stores.verificationCodes.spend(used, { nowSeconds: now, until }))) throw refusal();
    return id;
  }

  /** The usable user with this account; undefined when nobody has it. */
  async #findOwner(by: { identity: ExternalIdentity }, id: string): Promise<UserRecord | undefined> {
    const user = await this.#deps.database.stores.users.findByIdentity(by.identity, id);
    if (user && user.deletedAt !== null) throw new TollgateError('user_gone');
    if (user && user.status !== 1) throw new TollgateError('user_disabled');
    return user;
  }

  async #enter(
    provider: IdentityProvider,
    account: ExternalAccount,
    visit: Visit & { readonly affCode: string },
  ): Promise<SignInOutcome> {
    const { secondStep, registration } = this.#deps;
    const user =
      (await this.#findOwner(provider, account.id)) ?? (await registration.register(provider, account, visit));
    const { signOutHint: hint } = account;
    const signOut = hint === undefined ? undefined : { provider: provider.id, hint };
    return secondStep.admit(user, { method: provider.id, signOut }, visit);
  }

  /** Nobody loses an account to somebody else, and a binding replaces nothing. */
  async #bind(actor: Actor, by: { name: string; identity: ExternalIdentity }, id: string): Promise<void> {
    const { database, bus, nowSeconds } = this.#deps;
    const revision = await database.transaction(async (stores) => {
      const revision = await stores.revisions.bump('users');
      const user = await lockOwnRow(stores, actor);
      if (!(await stores.users.setFirstIdentity(user.id, by.identity, id))) {
        throw new TollgateError('oauth_taken', { provider: by.name, own: Number(user[by.identity] !== null) });
      }
      const act = { action: 'user.bind', target: `user:${user.id}`, detail: { what: by.name } };
      await stores.audits.append(auditBy(actor, act, nowSeconds()));
      return revision;
    });
    await bus.announce('users', revision, String(actor.userId));
  }
}
