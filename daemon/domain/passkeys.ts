/** Passkeys (WebAuthn): adding, naming and removing them, and signing in with one (console.md N2). */
import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import type { OptionsView } from '../contract/options.ts';
import { TollgateError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import type { PasskeyRecord } from '../store/passkeys.ts';
import type { UserRecord } from '../store/users.ts';
import type { Actor } from './actor.ts';
import { auditBy } from './audits.ts';
import type { PasskeyChallenges } from './passkey-challenges.ts';
import type { FactorChange } from './second-factors.ts';
import type { Origin, SecondStep, SignedIn } from './second-step.ts';

export interface PasskeysDeps {
  readonly database: Database;
  readonly challenges: PasskeyChallenges;
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

/** What a browser brings of one that was used. */
export interface UsedPasskey {
  readonly id: string;
  readonly clientDataJSON: string;
  readonly authenticatorData: string;
  readonly signature: string;
  readonly userHandle: string;
}

/** The site as authenticators know it: by the configured address alone, never by what a request says (S13). */
interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

const mostPasskeys = 20;
const longestName = 50;
const knownTransports = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;
type Transport = (typeof knownTransports)[number];

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
    const { database, challenges, options, handleOf } = this.#deps;
    const party = this.#party();
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
      return { passkey, user: await stores.users.find(actor.userId) };
    });
    if (added.user) changed?.(added.user, 'passkey-added');
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
      if (!(await stores.passkeys.delete(actor.userId, id))) throw new TollgateError('passkey_not_found');
      const act = { action: 'passkey.remove', target: `user:${actor.userId}`, detail: { id } };
      await stores.audits.append(auditBy(actor, act, nowSeconds()));
      return stores.users.find(actor.userId);
    });
    if (user) changed?.(user, 'passkey-removed');
  }

  /** What the browser is asked to sign, by whichever passkey its user picks. Throws `passkey_off`. */
  async beginSignIn(): Promise<object> {
    const { id: rpID } = this.#party();
    const { generateAuthenticationOptions } = await webauthn();
    return generateAuthenticationOptions({
      rpID,
      challenge: this.#deps.challenges.make(''),
      userVerification: 'required',
    });
  }

  /**
   * Opens a session. A passkey that its holder has unlocked is two factors already, so none is asked for besides. Throws
   * `passkey_off`, `passkey_refused` whatever is wrong.
   */
  async signIn(used: UsedPasskey, origin: Origin): Promise<SignedIn> {
    const { database, secondStep, handleOf, nowSeconds } = this.#deps;
    const refusal = () => new TollgateError('passkey_refused');
    const party = this.#party();
    const passkey = await database.stores.passkeys.findByCredential(used.id);
    const user = passkey && (await database.stores.users.find(passkey.userId));
    if (!passkey || !user || user.deletedAt !== null || user.status !== 1) throw refusal();
    if (used.userHandle !== Buffer.from(handleOf(user.id), 'hex').toString('base64url')) throw refusal();
    const signCount = await this.#verifyUsed(used, passkey, party);
    if (!(await database.stores.passkeys.noteUse(passkey, { signCount, lastUsedAt: nowSeconds() }))) throw refusal();
    return secondStep.open(user, { method: 'passkey' }, origin);
  }

  async #verifyNew(made: NewPasskey, sessionId: string) {
    const { challenges } = this.#deps;
    const party = this.#party();
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

  /** How often the passkey has signed by now. */
  async #verifyUsed(used: UsedPasskey, passkey: PasskeyRecord, party: RelyingParty): Promise<number> {
    const { challenges } = this.#deps;
    const { clientDataJSON, authenticatorData, signature, userHandle } = used;
    const { verifyAuthenticationResponse } = await webauthn();
    const verified = await verifyAuthenticationResponse({
      response: {
        id: used.id,
        rawId: used.id,
        type: 'public-key',
        response: { clientDataJSON, authenticatorData, signature, userHandle },
        clientExtensionResults: {},
      },
      expectedChallenge: (challenge) => challenges.take('', challenge),
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
        counter: passkey.signCount,
      },
    }).catch((cause: unknown) => {
      throw new TollgateError('passkey_refused', {}, { cause });
    });
    if (!verified.verified) throw new TollgateError('passkey_refused');
    return verified.authenticationInfo.newCounter;
  }

  /** Throws `passkey_off` where the configured address is none that browsers take passkeys for. */
  #party(): RelyingParty {
    const party = relyingParty(this.#deps.options().get('ServerAddress'));
    if (!party) throw new TollgateError('passkey_off');
    return party;
  }
}

/** Undefined for an address without a name, or one that is not encrypted and not this very machine. */
export function relyingParty(address: string): RelyingParty | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname, origin } = new URL(address);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && hostname === 'localhost');
  const isName = /[a-z]/i.test(hostname) && !hostname.startsWith('[');
  return isSafe && isName ? { id: hostname, origin } : undefined;
}

/** Whose the challenge of an adding is; never that of a sign-in, which is nobody's. */
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

function transportsOf(texts: readonly string[]): Transport[] {
  return knownTransports.filter((known) => texts.includes(known));
}
