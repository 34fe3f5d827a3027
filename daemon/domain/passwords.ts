/** Passwords: what is acceptable, and argon2id around it (S25). */
import { hash, verify } from '@node-rs/argon2';

/** 19 MiB, two passes, one lane: the published minimum for argon2id, about 20 ms on a small machine. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** At least 8 characters; 72 bytes at most, so that nobody buys hashing time with a long one (W47). */
export function isAcceptablePassword(password: string): boolean {
  return [...password].length >= 8 && Buffer.byteLength(password, 'utf8') <= 72;
}

/** Hashes and checks passwords; every check costs the same, whether or not there is anything to check against. */
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
    if (Buffer.byteLength(password, 'utf8') > 72) return false;
    const fits = await verify(known, password).catch(() => false);
    return isStored && fits;
  }

  #dummy(): Promise<string> {
    this.#dummyHash ??= hash('there is no such account', cost);
    return this.#dummyHash;
  }
}
