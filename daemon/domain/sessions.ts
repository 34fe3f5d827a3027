/** Sessions: opened, looked up and ended by their id; all of their state lives in the database (management-api.md 2.1). */
import { TollgateError } from '../errors.ts';
import type { Stores } from '../store/database.ts';
import type { SessionRecord } from '../store/sessions.ts';
import { randomToken } from './random-text.ts';

/** What a session remembers beside its user. */
export interface SessionState {
  /** Unix seconds until which the human check counts as passed. */
  readonly humanUntil: number;
  /** Invite code this visitor came with. */
  readonly affCode: string;
  /** Sign-ins at identity providers that have begun and not come back, the oldest first. */
  readonly signIns: readonly OpenSignIn[];
  /** The identity provider that opened this session, and what it wants to see when it ends; "" for none. */
  readonly signOut: SignOutElsewhere;
  /** A sign-in that waits for its second factor. */
  readonly secondStep: OpenSecondStep | undefined;
  /** What the user has proven anew in this session, one for each action at most. */
  readonly proofs: readonly FreshProof[];
}

/** How long a fresh proof counts. */
export const proofSeconds = 300;

/** Somebody has just shown to be the user, for one kind of action. */
export interface FreshProof {
  readonly action: string;
  /** Unix seconds. */
  readonly expiresAt: number;
}

/** Who has proven the first factor in this session, and how. */
export interface OpenSecondStep {
  /** What the second step has to show; worth nothing without the session's cookie. */
  readonly ticket: string;
  readonly userId: number;
  /** `users.auth_version` at the first step: whatever ends the user's sessions ends this as well. */
  readonly authVersion: number;
  readonly method: string;
  readonly signOut: SignOutElsewhere;
  /** Unix seconds. */
  readonly expiresAt: number;
  /** Codes tried so far. */
  readonly tries: number;
}

/** How to sign out at an identity provider as well. */
export interface SignOutElsewhere {
  readonly provider: string;
  readonly hint: string;
}

/** A sign-in at an identity provider on its way. */
export interface OpenSignIn {
  /** What the provider hands back with the visitor. */
  readonly state: string;
  /** Who was asked; "" where whoever began did not say. */
  readonly provider: string;
  /** Invite code to apply if an account is made. */
  readonly affCode: string;
  /** Unix seconds. */
  readonly expiresAt: number;
  /** Bound into the ID token; "" when none was issued. */
  readonly nonce: string;
  /** Secret behind the code challenge (RFC 7636); "" when none was issued. */
  readonly codeVerifier: string;
}

export interface LiveSession extends SessionRecord {
  readonly state: SessionState;
}

export interface SessionServiceDeps {
  readonly stores: Pick<Stores, 'sessions'>;
  readonly hashId: (id: string) => string;
  readonly nowSeconds: () => number;
  /** Told when noting a session's use failed; nothing depends on it. */
  readonly report: (cause: unknown) => void;
}

/** Where a session is opened from. */
export interface SessionOrigin {
  readonly ip: string;
  readonly userAgent: string;
}

const signedInSeconds = 2_592_000;
const anonymousSeconds = 3600;
/** Calls of one visitor at the same moment that a change stands up to. */
const changeTries = 10;
const nowhere: SignOutElsewhere = { provider: '', hint: '' };
const emptyState: SessionState = {
  humanUntil: 0,
  affCode: '',
  signIns: [],
  signOut: nowhere,
  secondStep: undefined,
  proofs: [],
};
/** The use of a session is noted this often. */
const seenEverySeconds = 60;

export class SessionService {
  readonly #deps: SessionServiceDeps;

  constructor(deps: SessionServiceDeps) {
    this.#deps = deps;
  }

  /** The session with this id, anonymous ones included; undefined when unknown or past its time. */
  async find(id: string): Promise<LiveSession | undefined> {
    const session = await this.#deps.stores.sessions.find(this.#deps.hashId(id));
    if (!session || session.expiresAt <= this.#deps.nowSeconds()) return undefined;
    return { ...session, state: readState(session.data) };
  }

  /** Opens a session for a user who has just proven to be one; returns its id. The session it replaces ends (W4). */
  async openFor(
    user: { readonly id: number; readonly authVersion: number },
    origin: SessionOrigin & {
      readonly replaces: string | undefined;
      readonly signOut?: SignOutElsewhere | undefined;
      readonly proofs?: readonly FreshProof[] | undefined;
    },
  ): Promise<string> {
    const previous = origin.replaces === undefined ? undefined : await this.find(origin.replaces);
    const affCode = previous?.userId === null ? previous.state.affCode : '';
    const id = await this.#insert({
      userId: user.id,
      authVersion: user.authVersion,
      state: { ...emptyState, affCode, signOut: origin.signOut ?? nowhere, proofs: origin.proofs ?? [] },
      origin,
      seconds: signedInSeconds,
    });
    if (origin.replaces !== undefined) await this.end(origin.replaces);
    return id;
  }

  /** Opens a session that belongs to nobody yet; returns its id. */
  openAnonymous(origin: SessionOrigin & { readonly state: Partial<SessionState> }): Promise<string> {
    const state = { ...emptyState, ...origin.state };
    return this.#insert({ userId: null, authVersion: 0, state, origin, seconds: anonymousSeconds });
  }

  /** Changes what a live session remembers, whoever else does so; the state before, undefined when there is none. */
  async change(id: string, change: (state: SessionState) => SessionState): Promise<SessionState | undefined> {
    for (let attempt = 1; attempt <= changeTries; attempt += 1) {
      const session = await this.find(id);
      if (!session) return undefined;
      const to = JSON.stringify(change(session.state));
      if (to === session.data) return session.state;
      const { idHash, data: from } = session;
      if (await this.#deps.stores.sessions.replaceData(idHash, { from, to })) return session.state;
    }
    throw new TollgateError('busy');
  }

  /** Remembers something of a visitor; returns the id of a new anonymous session when there was none to change. */
  async remember(
    id: string | undefined,
    origin: SessionOrigin,
    change: (state: SessionState) => SessionState,
  ): Promise<string | undefined> {
    if (id !== undefined && (await this.change(id, change)) !== undefined) return undefined;
    return this.openAnonymous({ ...origin, state: change(emptyState) });
  }

  /** Notes that a session is in use, now and then. */
  seen(session: SessionRecord): void {
    const now = this.#deps.nowSeconds();
    if (now - session.lastSeenAt < seenEverySeconds) return;
    this.#deps.stores.sessions.touch(session.idHash, now).catch(this.#deps.report);
  }

  async end(id: string): Promise<void> {
    await this.#deps.stores.sessions.delete(this.#deps.hashId(id));
  }

  /** Keeps one session alive in a transaction that raises its user's `auth_version`, which ends all others. */
  async keep(stores: Pick<Stores, 'sessions'>, id: string, authVersion: number): Promise<void> {
    await stores.sessions.setAuthVersion(this.#deps.hashId(id), authVersion);
  }

  async #insert(session: {
    userId: number | null;
    authVersion: number;
    state: SessionState;
    origin: SessionOrigin;
    seconds: number;
  }): Promise<string> {
    const id = randomToken();
    const now = this.#deps.nowSeconds();
    const { userId, authVersion, state, origin, seconds } = session;
    await this.#deps.stores.sessions.insert({
      idHash: this.#deps.hashId(id),
      userId,
      data: JSON.stringify(state),
      authVersion,
      createdAt: now,
      lastSeenAt: now,
      expiresAt: now + seconds,
      ip: origin.ip,
      userAgent: origin.userAgent.slice(0, 500),
    });
    return id;
  }
}

/** Rows removed in one statement, so that nobody waits long for it. */
const cleanupBatch = 1000;

/** Removes sessions past their time and codes nobody will use any more; ends early when the signal says so. */
export async function removeExpiredSessions(
  deps: { readonly stores: Pick<Stores, 'sessions' | 'verificationCodes'>; readonly nowSeconds: () => number },
  signal: AbortSignal,
): Promise<void> {
  const now = deps.nowSeconds();
  while (!signal.aborted && (await deps.stores.sessions.deleteExpired(now, cleanupBatch)) === cleanupBatch);
  await deps.stores.verificationCodes.deleteExpired(now);
}

function readState(data: string): SessionState {
  const state: unknown = data === '' ? {} : JSON.parse(data);
  return {
    humanUntil: numberOf(state, 'humanUntil'),
    affCode: textOf(state, 'affCode'),
    signIns: listOf(state, 'signIns').map(readSignIn),
    signOut: readSignOut(memberOf(state, 'signOut')),
    secondStep: readSecondStep(memberOf(state, 'secondStep')),
    proofs: listOf(state, 'proofs').map(readProof),
  };
}

function readProof(stored: unknown): FreshProof {
  return { action: textOf(stored, 'action'), expiresAt: numberOf(stored, 'expiresAt') };
}

function readSignOut(stored: unknown): SignOutElsewhere {
  return { provider: textOf(stored, 'provider'), hint: textOf(stored, 'hint') };
}

function readSecondStep(stored: unknown): OpenSecondStep | undefined {
  if (stored === undefined) return undefined;
  return {
    ticket: textOf(stored, 'ticket'),
    userId: numberOf(stored, 'userId'),
    authVersion: numberOf(stored, 'authVersion'),
    method: textOf(stored, 'method'),
    signOut: readSignOut(memberOf(stored, 'signOut')),
    expiresAt: numberOf(stored, 'expiresAt'),
    tries: numberOf(stored, 'tries'),
  };
}

function readSignIn(stored: unknown): OpenSignIn {
  return {
    state: textOf(stored, 'state'),
    provider: textOf(stored, 'provider'),
    affCode: textOf(stored, 'affCode'),
    expiresAt: numberOf(stored, 'expiresAt'),
    nonce: textOf(stored, 'nonce'),
    codeVerifier: textOf(stored, 'codeVerifier'),
  };
}

function textOf(value: unknown, name: string): string {
  const member = memberOf(value, name);
  return typeof member === 'string' ? member : '';
}

function listOf(value: unknown, name: string): unknown[] {
  const member = memberOf(value, name);
  return Array.isArray(member) ? member : [];
}

function numberOf(value: unknown, name: string): number {
  const member = memberOf(value, name);
  return typeof member === 'number' ? member : 0;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
