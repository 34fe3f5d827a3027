/** Proving that an address is the caller's, and binding it to an account (management-api.md 3.3, 3.5). */
import type { Bus } from '../cluster/bus.ts';
import type { Language } from '../contract/error-codes.ts';
import type { OptionsView } from '../contract/options.ts';
import { TollgateError } from '../errors.ts';
import type { Database, Stores } from '../store/database.ts';
import type { UserRecord } from '../store/users.ts';
import type { Actor } from './actor.ts';
import { auditBy } from './audits.ts';
import { acceptedEmail } from './email-rules.ts';
import type { MailLimits } from './mail-limits.ts';
import { addressTakenLetter, codeLetter } from './mail-texts.ts';
import { type MailedCodes, mailedCodeMinutes } from './mailed-codes.ts';
import type { Mail, Mailer } from './mailer.ts';
import { lockOwnRow } from './own-row.ts';
import { randomCode } from './random-text.ts';
import type { EmailProof, MailedProof } from './registration.ts';

export interface EmailVerificationDeps {
  readonly database: Database;
  readonly bus: Pick<Bus, 'announce'>;
  readonly codes: MailedCodes;
  readonly mailer: Mailer;
  readonly limits: MailLimits;
  readonly options: () => OptionsView;
  readonly nowSeconds: () => number;
  /** Told of an account as it was before it got another address, to write to the old one. */
  readonly emailChanged: (before: UserRecord) => void;
}

/** Who asks for a mail. */
export interface MailRequest {
  readonly email: string;
  readonly clientAddress: string;
  readonly language: Language;
}

const purpose = 'email';
const codeLength = 6;

export class EmailVerification implements EmailProof {
  readonly #deps: EmailVerificationDeps;

  constructor(deps: EmailVerificationDeps) {
    this.#deps = deps;
  }

  /**
   * Mails a code. An address that an account has gets a mail that says so, and the caller the same answer (W6). Throws
   * `email_invalid`, `email_domain_refused`, `email_alias_refused`, `too_many_requests`, `mail_failed`.
   */
  async sendCode(request: MailRequest): Promise<void> {
    const { mailer, limits, options } = this.#deps;
    const email = acceptedEmail(request.email, options());
    const giveBack = await limits.admit(email, request.clientAddress);
    const letter = await this.#letterTo(email, request.language);
    await mailer.send({ to: email, ...letter }).catch(async (cause: unknown) => {
      // The owner waits for it, with nothing to wait out.
      await giveBack();
      throw cause;
    });
  }

  async #letterTo(email: string, language: Language): Promise<Omit<Mail, 'to'>> {
    const { database, codes, options } = this.#deps;
    const scene = { language, siteName: options().get('SystemName') };
    if (await database.stores.users.findByEmail(email)) return addressTakenLetter(scene);
    const code = randomCode(codeLength);
    await codes.keep({ purpose, subject: email, code });
    return codeLetter(scene, { code, minutes: mailedCodeMinutes });
  }

  async check(proof: MailedProof): Promise<string> {
    const email = acceptedEmail(proof.email, this.#deps.options());
    const isRight = await this.#deps.codes.isRight({ purpose, subject: email, code: writtenCode(proof.code) });
    if (!isRight) throw new TollgateError('code_invalid', {}, { field: proof.codeField });
    return email;
  }

  async use(stores: Stores, { email, code, codeField }: MailedProof): Promise<void> {
    if (await this.#deps.codes.use(stores, { purpose, subject: email, code: writtenCode(code) })) return;
    throw new TollgateError('code_invalid', {}, { field: codeField });
  }

  /** Makes the proven address the account's. Throws those of `check` and `email_taken`. */
  async bind(actor: Actor, given: { email: string; code: string }): Promise<void> {
    const { database, bus, nowSeconds, emailChanged } = this.#deps;
    const proof = { ...given, codeField: 'code' };
    const email = await this.check(proof);
    const { before, revision } = await database.transaction(async (stores) => {
      const revision = await stores.revisions.bump('users');
      await this.use(stores, { ...proof, email });
      const before = await lockOwnRow(stores, actor);
      const updated = await stores.users.update(actor.userId, { email });
      if (!updated.updated) {
        throw updated.conflict
          ? new TollgateError('email_taken', {}, { field: 'email' })
          : new TollgateError('user_gone');
      }
      await stores.audits.append(
        auditBy(
          actor,
          { action: 'user.bind', target: `user:${actor.userId}`, detail: { what: 'email' } },
          nowSeconds(),
        ),
      );
      return { before, revision };
    });
    await bus.announce('users', revision, String(actor.userId));
    if (before.email !== email) emailChanged(before);
  }
}

/** Codes are lower case; people and their keyboards are not always. */
function writtenCode(code: string): string {
  return code.trim().toLowerCase();
}
