/**
 * Challenges for passkeys: made without keeping anything, since every visit of the sign-in page asks for one, and used
 * once. They carry their end and a seal over it, what they are for and whose they are.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Stores } from '../store/database.ts';

export interface PasskeyChallengeDeps {
  readonly hash: (purpose: string, subject: string, text: string) => string;
  /** Not the counters: each process forgets those, and without Redis has its own. */
  readonly stores: Pick<Stores, 'verificationCodes'>;
  readonly nowSeconds: () => number;
}

const challengeSeconds = 300;
/** Seconds that the clocks of nodes may differ. */
const nodesDiffer = 60;

export class PasskeyChallenges {
  readonly #deps: PasskeyChallengeDeps;

  constructor(deps: PasskeyChallengeDeps) {
    this.#deps = deps;
  }

  /** @param subject whose it is: a session for what is done in one, "" for signing in */
  make(subject: string): string {
    const head = `${this.#deps.nowSeconds() + challengeSeconds}.${randomBytes(16).toString('base64url')}`;
    return `${head}.${this.#seal(subject, head)}`;
  }

  /** Uses up a challenge as it came back, in base64url; false for one that is not ours, over, or was used before. */
  async take(subject: string, challenge: string): Promise<boolean> {
    const text = Buffer.from(challenge, 'base64url').toString('utf8');
    const [, head = '', end = '', seal = ''] = /^((\d{1,16})\.[\w-]{22})\.([0-9a-f]{64})$/.exec(text) ?? [];
    if (head === '' || Number(end) <= this.#deps.nowSeconds()) return false;
    if (!timingSafeEqual(Buffer.from(seal), Buffer.from(this.#seal(subject, head)))) return false;
    const { stores, nowSeconds } = this.#deps;
    const used = { purpose: 'passkey-challenge', subject: head };
    return stores.verificationCodes.spend(used, { nowSeconds: nowSeconds(), until: Number(end) + nodesDiffer });
  }

  #seal(subject: string, head: string): string {
    return this.#deps.hash('passkey-challenge', subject, head);
  }
}
