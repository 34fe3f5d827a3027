/** Passwords: what is acceptable, and argon2id around it (S25); bcrypt where an account came from another gateway. */
import { hash, verify } from '@node-rs/argon2';
import { mostPasswordBytes, shortestPassword } from '../contract/account-limits.ts';

/** 19 MiB, two passes, one lane: the published minimum for argon2id, about 20 ms on a small machine. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Whether a new password may be this one. */
export function isAcceptablePassword(password: string): boolean {
  return [...password].length >= shortestPassword && Buffer.byteLength(password, 'utf8') <= mostPasswordBytes;
}

const bcryptForm = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
/** The work that a hash asks for doubles with each; gateways ask for 10. More would be a way to keep this machine busy. */
const mostBcryptRounds = 14;

/** Whether a hash of another gateway can be checked here: bcrypt that asks for no more work than is sensible. */
export function isForeignHash(storedHash: string): boolean {
  const rounds = Number(bcryptForm.exec(storedHash)?.[1] ?? Number.NaN);
  return rounds >= 4 && rounds <= mostBcryptRounds;
}

/**
 * Hashes and checks passwords; every check costs the same, whether or not there is anything to check against. Hashes of
 * other gateways cost what they ask for, until their first sign-in has them made anew.
 */
export class Passwords {
  #dummyHash: Promise<string> | undefined;

  /** The string to store. The password must be acceptable. */
  hash(password: string): Promise<string> {
    return hash(password, cost);
  }

  /** True when the password belongs to the stored hash; "" and undefined are checked against a dummy and are false. */
  async matches(password: string, storedHash: string | undefined): Promise<boolean> {
    const isStored = storedHash !== undefined && storedHash !== '';
    const known = isStored ? storedHash : await this.#dummy();
    if (Buffer.byteLength(password, 'utf8') > mostPasswordBytes) return false;
    const check = isForeignHash(known) ? verifyForeign(password, known) : verify(known, password);
    const fits = await check.catch(() => false);
    return isStored && fits;
  }

  #dummy(): Promise<string> {
    this.#dummyHash ??= hash('there is no such account', cost);
    return this.#dummyHash;
  }
}

/** Loaded where it is needed: most installations have no such account. */
async function verifyForeign(password: string, storedHash: string): Promise<boolean> {
  const bcrypt = await import('@node-rs/bcrypt');
  return bcrypt.verify(password, storedHash);
}
