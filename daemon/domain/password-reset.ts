/** Setting a new password by a mailed link (management-api.md 3.3). */
import type { Bus } from '../cluster/bus.ts';
import type { OptionsView } from '../contract/options.ts';
import { TollgateError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import type { UserRecord } from '../store/users.ts';
import { checkedEmail, emailAsStored } from './account-rules.ts';
import { auditBy } from './audits.ts';
import type { MailRequest } from './email-verification.ts';
import { endProgramCredentials } from './machine-tokens.ts';
import type { MailLimits } from './mail-limits.ts';
import { resetLetter } from './mail-texts.ts';
import { type MailedCodes, mailedCodeMinutes } from './mailed-codes.ts';
import type { Mailer } from './mailer.ts';
import type { Passwords } from './passwords.ts';
import { randomBase62, randomToken } from './random-text.ts';

export interface PasswordResetDeps {
  readonly database: Database;
  readonly bus: Pick<Bus, 'announce'>;
  readonly passwords: Passwords;
  readonly codes: MailedCodes;
  readonly mailer: Mailer;
  readonly limits: MailLimits;
  readonly options: () => OptionsView;
  /** Told after a password was set, to write to the owner. */
  readonly passwordChanged: (user: UserRecord) => void;
  /** Told what went wrong behind an answer that must not say so. */
  readonly report: (cause: unknown) => void;
  readonly nowSeconds: () => number;
}

const purpose = 'reset';
const passwordLength = 16;

export class PasswordReset {
  readonly #deps: PasswordResetDeps;
  readonly #running = new Set<Promise<void>>();

  constructor(deps: PasswordResetDeps) {
    this.#deps = deps;
  }

  /**
   * Mails a link to the owner of an enabled account. Whether there is one is decided after the answer, so that neither
   * the answer nor its time tells (W6). Throws `email_invalid`, `too_many_requests`.
   */
  async request(request: MailRequest): Promise<void> {
    const email = checkedEmail(request.email, 'email');
    await this.#deps.limits.admit(email, request.clientAddress);
    const sending = this.#sendLink({ ...request, email }).catch(this.#deps.report);
    this.#running.add(sending);
    void sending.finally(() => this.#running.delete(sending));
  }

  /** Resolves when every mail asked for so far has been sent or has failed. */
  async drain(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Sets and returns a new password; sessions, the access token and machine tokens end. Throws `reset_invalid`. */
  async confirm(link: { email: string; token: string; clientAddress: string }): Promise<string> {
    const { database, bus, passwords, codes, passwordChanged, nowSeconds } = this.#deps;
    const subject = emailAsStored(link.email);
    if (subject.length > 255) throw new TollgateError('reset_invalid');
    const version = (await database.stores.users.findByEmail(subject))?.authVersion ?? 0;
    const presented = { purpose, subject, code: versioned(link.token, version) };
    if (!(await codes.isRightLink(presented))) throw new TollgateError('reset_invalid');
    const password = randomBase62(passwordLength);
    const hash = await passwords.hash(password);
    const { user, revision } = await database.transaction(async (stores) => {
      const revision = await stores.revisions.bump('users');
      if (!(await codes.use(stores, presented))) throw new TollgateError('reset_invalid');
      const found = await stores.users.findByEmail(presented.subject);
      // Whoever is just changing the password or the address, or disables the account, is waited for.
      const owner = found && (await stores.users.lock(found.id));
      if (owner?.email !== presented.subject || !isUsable(owner) || owner.authVersion !== version) {
        throw new TollgateError('reset_invalid');
      }
      const updated = await stores.users.update(owner.id, { password: hash });
      if (!updated.updated) throw new TollgateError('reset_invalid');
      await stores.users.bumpAuthVersion(owner.id);
      await endProgramCredentials(stores, owner.id);
      const who = { userId: owner.id, username: owner.username, ip: link.clientAddress };
      await stores.audits.append(auditBy(who, { action: 'user.reset', target: `user:${owner.id}` }, nowSeconds()));
      return { user: updated.user, revision };
    });
    await bus.announce('users', revision, String(user.id));
    passwordChanged(user);
    return password;
  }

  async #sendLink({ email, language }: MailRequest): Promise<void> {
    const { database, codes, mailer, options } = this.#deps;
    const owner = await database.stores.users.findByEmail(email);
    if (!owner || !isUsable(owner)) return;
    const view = options();
    // Never from the request's own host, which whoever asks may choose (S13, W10).
    const site = view.get('ServerAddress').replace(/\/+$/, '');
    if (site === '')
      throw new Error('a password reset was asked for, but ServerAddress is not set: no link can be made');
    const token = randomToken();
    await codes.keep({ purpose, subject: email, code: versioned(token, owner.authVersion) });
    const link = `${site}/user/reset?email=${encodeURIComponent(email)}&token=${token}`;
    const scene = { language, siteName: view.get('SystemName') };
    await mailer.send({ to: email, ...resetLetter(scene, { link, minutes: mailedCodeMinutes }) });
  }
}

/** A link dies with everything else that was issued before an account is disabled or its password changes. */
function versioned(token: string, authVersion: number): string {
  return `${token} ${authVersion}`;
}

function isUsable(user: UserRecord): boolean {
  return user.deletedAt === null && user.status === 1;
}
