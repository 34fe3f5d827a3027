/** Whether a passkey that was used is one of ours: for this site, over a challenge of ours, by a key that we keep. */
import type { OptionsView } from '../contract/options.ts';
import { TollgateError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import type { PasskeyRecord } from '../store/passkeys.ts';
import type { UserRecord } from '../store/users.ts';
import type { PasskeyChallenges } from './passkey-challenges.ts';

export interface PasskeyCheckDeps {
  readonly database: Database;
  readonly challenges: PasskeyChallenges;
  readonly options: () => OptionsView;
  /** Stands for a user in the authenticator, which shows it to whoever holds it: nothing is read off it. */
  readonly handleOf: (userId: number) => string;
  readonly nowSeconds: () => number;
}

/** What a browser brings of a passkey that was used. */
export interface UsedPasskey {
  readonly id: string;
  readonly clientDataJSON: string;
  readonly authenticatorData: string;
  readonly signature: string;
  /** "" where the site had named the passkeys that it takes: not every authenticator tells then. */
  readonly userHandle: string;
}

/** The site as authenticators know it: by the configured address alone, never by what a request says (S13). */
export interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

const knownTransports = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;
export type Transport = (typeof knownTransports)[number];

/** Loaded with the first passkey: it brings the certificates' formats along, and costs 0.4 s of the processor. */
const webauthn = () => import('@simplewebauthn/server');

export class PasskeyCheck {
  readonly #deps: PasskeyCheckDeps;

  constructor(deps: PasskeyCheckDeps) {
    this.#deps = deps;
  }

  /** Whether this user could show one now. */
  async isOffered(userId: number): Promise<boolean> {
    const { database, options } = this.#deps;
    if (!relyingParty(options().get('ServerAddress'))) return false;
    return (await database.stores.passkeys.listOfUser(userId)).length > 0;
  }

  /**
   * What the browser is asked to sign. Throws `passkey_off`.
   * @param subject what it is for, and whose; the same is said when the answer is taken
   * @param userId whose passkeys are taken; by absence whichever its holder picks
   */
  async ask(subject: string, userId?: number): Promise<object> {
    const { database, challenges } = this.#deps;
    const { id: rpID } = this.party();
    const own = userId === undefined ? undefined : await database.stores.passkeys.listOfUser(userId);
    const allowCredentials = own?.map(({ credentialId, transports }) => ({
      id: credentialId,
      transports: transportsOf(transports.split(',')),
    }));
    const { generateAuthenticationOptions } = await webauthn();
    return generateAuthenticationOptions({
      rpID,
      challenge: challenges.make(subject),
      userVerification: 'required',
      ...(allowCredentials === undefined ? {} : { allowCredentials }),
    });
  }

  /** The user who has unlocked a passkey for this subject, which is used up. Throws `passkey_off`, `passkey_refused` whatever is wrong. */
  async take(subject: string, used: UsedPasskey): Promise<UserRecord> {
    const { database, handleOf, nowSeconds } = this.#deps;
    const refusal = () => new TollgateError('passkey_refused');
    const party = this.party();
    const passkey = await database.stores.passkeys.findByCredential(used.id);
    const user = passkey && (await database.stores.users.find(passkey.userId));
    if (!passkey || !user || user.deletedAt !== null || user.status !== 1) throw refusal();
    const isTold = used.userHandle !== '' || subject === '';
    if (isTold && used.userHandle !== Buffer.from(handleOf(user.id), 'hex').toString('base64url')) throw refusal();
    const signCount = await this.#verify(subject, { used, passkey, party });
    if (!(await database.stores.passkeys.noteUse(passkey, { signCount, lastUsedAt: nowSeconds() }))) throw refusal();
    return user;
  }

  /** Throws `passkey_off` where the configured address is none that browsers take passkeys for. */
  party(): RelyingParty {
    const party = relyingParty(this.#deps.options().get('ServerAddress'));
    if (!party) throw new TollgateError('passkey_off');
    return party;
  }

  /** How often the passkey has signed by now. */
  async #verify(
    subject: string,
    { used, passkey, party }: { used: UsedPasskey; passkey: PasskeyRecord; party: RelyingParty },
  ): Promise<number> {
    const { challenges } = this.#deps;
    const { clientDataJSON, authenticatorData, signature, userHandle } = used;
    const { verifyAuthenticationResponse } = await webauthn();
    const verified = await verifyAuthenticationResponse({
      response: {
        id: used.id,
        rawId: used.id,
        type: 'public-key',
        response: {
          clientDataJSON,
          authenticatorData,
          signature,
          ...(userHandle === '' ? {} : { userHandle }),
        },
        clientExtensionResults: {},
      },
      expectedChallenge: (challenge) => challenges.take(subject, challenge),
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
}

/** Undefined for an address without a name, or one that is not encrypted and not this very machine. */
export function relyingParty(address: string): RelyingParty | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname, origin } = new URL(address);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && hostname === 'localhost');
  const isName = /[a-z]/i.test(hostname) && !hostname.startsWith('[');
  return isSafe && isName ? { id: hostname, origin } : undefined;
}

/** Those of these words that browsers know. */
export function transportsOf(texts: readonly string[]): Transport[] {
  return knownTransports.filter((known) => texts.includes(known));
}
