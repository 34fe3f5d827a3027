/** Passkeys (WebAuthn): adding, naming and removing them, and signing in with one (console.md N2). */
import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import type { OptionsView } from '../contract/options.ts';
import { TollgateError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import type { PasskeyRecord } from '../store/passkeys.ts';
import type { UserRecord } from '../store/users.ts';
import type { Actor } from './actor.ts';
import { auditBy } from './audits.ts';
import { lockOwnRow } from './own-row.ts';
import type { PasskeyChallenges } from './passkey-challenges.ts';
import { type PasskeyCheck, transportsOf, type UsedPasskey } from './passkey-check.ts';
import type { FactorChange } from './second-factors.ts';
import type { Origin, SecondStep, SignedIn } from './second-step.ts';

export interface PasskeysDeps {
  readonly database: Database;
  readonly challenges: PasskeyChallenges;
  readonly check: Pick<PasskeyCheck, 'ask' | 'take' | 'party'>;
  readonly secondStep: Pick<SecondStep, 'open'>;
  readonly options: () => OptionsView;
  /** Stands for a user in the authenticator, which shows it to whoever holds it: nothing is read off it. */
  readonly handleOf: (userId: number) => string;
  readonly changed?: (user: UserRecord, change: FactorChange) => void;
  readonly nowSeconds: () => number;
}

/** What a browser brings of a new passkey. */
export interface NewPasskey {
  readonly id: string;
  readonly clientDataJSON: string;
  readonly attestationObject: string;
  readonly transports: readonly string[];
}

const mostPasskeys = 20;
const longestName = 50;

/** Loaded with the first passkey: it brings the certificates' formats along, and costs 0.4 s of the processor. */
const webauthn = () => import('@simplewebauthn/server');

export class Passkeys {
  readonly #deps: PasskeysDeps;

  constructor(deps: PasskeysDeps) {
    this.#deps = deps;
  }

  list({ userId }: Pick<Actor, 'userId'>): Promise<PasskeyRecord[]> {
    return this.#deps.database.stores.passkeys.listOfUser(userId);
  }

  /** What the browser is asked to make. Throws `passkey_off`, `passkey_limit`. */
  async beginAdding(actor: Actor, sessionId: string): Promise<object> {
    const { database, challenges, check, options, handleOf } = this.#deps;
    const party = check.party();
    const known = await database.stores.passkeys.listOfUser(actor.userId);
    if (known.length >= mostPasskeys) throw new TollgateError('passkey_limit', { limit: mostPasskeys });
    const { generateRegistrationOptions } = await webauthn();
    return generateRegistrationOptions({
      rpName: options().get('SystemName'),
      rpID: party.id,
      userName: actor.username,
      userID: new Uint8Array(Buffer.from(handleOf(actor.userId), 'hex')),
      challenge: challenges.make(addingIn(sessionId)),
      attestationType: 'none',
      excludeCredentials: known.map(({ credentialId, transports }) => ({
        id: credentialId,
        transports: transportsOf(transports.split(',')),
      })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
  }

  /** Keeps what the browser made. Throws `passkey_off`, `passkey_limit`, `passkey_refused`, `passkey_name_invalid`. */
  async add(actor: Actor, sessionId: string, { name, ...made }: NewPasskey & { name: string }): Promise<PasskeyRecord> {
    const { database, changed, nowSeconds } = this.#deps;
    const checked = checkedName(name);
    const { credential, credentialBackedUp } = await this.#verifyNew(made, sessionId);
    const added = await database.transaction(async (stores) => {
      // Those who add one at the same moment count one after the other.
      const user = await lockOwnRow(stores, actor);
      const count = (await stores.passkeys.listOfUser(actor.userId)).length;
      if (count >= mostPasskeys) throw new TollgateError('passkey_limit', { limit: mostPasskeys });
      const passkey = await stores.passkeys.insert({
        userId: actor.userId,
        credentialId: credential.id,
        publicKey: Buffer.from(credential.publicKey).toString('base64url'),
        signCount: credential.counter,
        transports: transportsOf(made.transports).join(','),
        name: checked,
        synced: credentialBackedUp,
        createdAt: nowSeconds(),
      });
      if (!passkey) throw new TollgateError('passkey_refused');
      const act = { action: 'passkey.add', target: `user:${actor.userId}`, detail: { name: checked } };
      await stores.audits.append(auditBy(actor, act, nowSeconds()));
      return { passkey, user };
    });
    changed?.(added.user, 'passkey-added');
    return added.passkey;
  }

  /** Throws `passkey_not_found`, `passkey_name_invalid`. */
  async rename({ userId }: Actor, { id, name }: { id: number; name: string }): Promise<PasskeyRecord> {
    const renamed = await this.#deps.database.stores.passkeys.rename(userId, { id, name: checkedName(name) });
    if (!renamed) throw new TollgateError('passkey_not_found');
    return renamed;
  }

  /** Throws `passkey_not_found`. */
  async remove(actor: Actor, id: number): Promise<void> {
    const { database, changed, nowSeconds } = this.#deps;
    const user = await database.transaction(async (stores) => {
      const user = await lockOwnRow(stores, actor);
      if (!(await stores.passkeys.delete(actor.userId, id))) throw new TollgateError('passkey_not_found');
      const act = { action: 'passkey.remove', target: `user:${actor.userId}`, detail: { id } };
      await stores.audits.append(auditBy(actor, act, nowSeconds()));
      return user;
    });
    changed?.(user, 'passkey-removed');
  }

  /** What the browser is asked to sign, by whichever passkey its user picks. Throws `passkey_off`. */
  beginSignIn(): Promise<object> {
    return this.#deps.check.ask(ofNobody);
  }

  /**
   * Opens a session. A passkey that its holder has unlocked is two factors already, so none is asked for besides. Throws
   * `passkey_off`, `passkey_refused` whatever is wrong.
   */
  async signIn(used: UsedPasskey, origin: Origin): Promise<SignedIn> {
    const { check, secondStep } = this.#deps;
    return secondStep.open(await check.take(ofNobody, used), { method: 'passkey' }, origin);
  }

  async #verifyNew(made: NewPasskey, sessionId: string) {
    const { challenges, check } = this.#deps;
    const party = check.party();
    const { clientDataJSON, attestationObject } = made;
    const response: RegistrationResponseJSON = {
      id: made.id,
      rawId: made.id,
      type: 'public-key',
      response: { clientDataJSON, attestationObject },
      clientExtensionResults: {},
    };
    const { verifyRegistrationResponse } = await webauthn();
    const verified = await verifyRegistrationResponse({
      response,
      expectedChallenge: (challenge) => challenges.take(addingIn(sessionId), challenge),
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
    }).catch((cause: unknown) => {
      throw new TollgateError('passkey_refused', {}, { cause });
    });
    if (!verified.verified) throw new TollgateError('passkey_refused');
    return verified.registrationInfo;
  }
}

/** Whose the challenge of a sign-in is: nobody knows yet. */
const ofNobody = '';

/** Whose the challenge of an adding is. */
function addingIn(sessionId: string): string {
  return `session ${sessionId}`;
}

function checkedName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '' || [...trimmed].length > longestName) {
    throw new TollgateError('passkey_name_invalid', { limit: longestName }, { field: 'name' });
  }
  return trimmed;
}
