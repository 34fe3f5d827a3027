/** Codes and links that are mailed: stored hashed, used once; a code is dead after five wrong tries (management-api.md 3.3, W9). */
import { timingSafeEqual } from 'node:crypto';
import type { Stores } from '../store/database.ts';
import type { CodeSubject } from '../store/verification-codes.ts';

export interface MailedCodesDeps {
  /** Outside any transaction: wrong tries must count although what they were for is rolled back. */
  readonly stores: Pick<Stores, 'verificationCodes'>;
  readonly hash: (purpose: string, subject: string, code: string) => string;
  readonly nowSeconds: () => number;
}

/** A code with what it is for and whose it is. */
export interface PresentedCode extends CodeSubject {
  readonly code: string;
}

/** How long every mailed code and link is valid. */
export const mailedCodeMinutes = 10;
const maxAttempts = 5;

export class MailedCodes {
  readonly #deps: MailedCodesDeps;

  constructor(deps: MailedCodesDeps) {
    this.#deps = deps;
  }

  /** Keeps a code that is about to be mailed; an older one for the same thing is worth nothing any more. */
  async keep({ purpose, subject, code }: PresentedCode): Promise<void> {
    const { stores, hash, nowSeconds } = this.#deps;
    const now = nowSeconds();
    await stores.verificationCodes.replace({
      purpose,
      subject,
      codeHash: hash(purpose, subject, code),
      createdAt: now,
      expiresAt: now + mailedCodeMinutes * 60,
    });
  }

  /** Whether the code is right, without using it up. A try is taken before anything is compared. */
  async isRight({ purpose, subject, code }: PresentedCode): Promise<boolean> {
    const { stores, hash, nowSeconds } = this.#deps;
    const kept = await stores.verificationCodes.takeTry(
      { purpose, subject },
      { nowSeconds: nowSeconds(), maxAttempts },
    );
    const isRight = isSame(kept, hash(purpose, subject, code));
    if (isRight) await stores.verificationCodes.giveTryBack({ purpose, subject });
    return isRight;
  }

  /** As `isRight`, of what is too long to be guessed: counted tries could be spent by anybody who knows its owner. */
  async isRightLink({ purpose, subject, code }: PresentedCode): Promise<boolean> {
    const { stores, hash, nowSeconds } = this.#deps;
    const kept = await stores.verificationCodes.find({ purpose, subject });
    return isSame(kept, hash(purpose, subject, code)) && (kept?.expiresAt ?? 0) > nowSeconds();
  }

  /** Uses the code up in the transaction of what it allows; false when somebody else was faster. */
  async use(stores: Pick<Stores, 'verificationCodes'>, { purpose, subject, code }: PresentedCode): Promise<boolean> {
    const { hash, nowSeconds } = this.#deps;
    return stores.verificationCodes.consume(
      { purpose, subject },
      { codeHash: hash(purpose, subject, code), nowSeconds: nowSeconds() },
    );
  }
}

function isSame(kept: { readonly codeHash: string } | undefined, hash: string): boolean {
  return kept !== undefined && timingSafeEqual(Buffer.from(kept.codeHash), Buffer.from(hash));
}
