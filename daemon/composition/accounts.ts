/** What accounts need beside their own rules: mail, codes, and later the identity providers. */
import type { OptionsView } from '../contract/options.ts';
import { AccountLetters } from '../domain/account-letters.ts';
import { EmailVerification } from '../domain/email-verification.ts';
import { MailLimits } from '../domain/mail-limits.ts';
import { MailedCodes } from '../domain/mailed-codes.ts';
import type { Mailer } from '../domain/mailer.ts';
import { PasswordReset } from '../domain/password-reset.ts';
import type { Passwords } from '../domain/passwords.ts';
import type { Route } from '../http/implement.ts';
import { verificationRoutes } from '../http/routes/management/verification.ts';
import { SmtpMailer, type SmtpSettings } from '../integrations/mail.ts';
import type { Foundation } from './foundation.ts';

export interface AccountParts {
  readonly emails: EmailVerification;
  readonly letters: AccountLetters;
  readonly routes: readonly Route[];
}

/** Mail by the site's options. */
export function buildMailer({ log, snapshots }: Pick<Foundation, 'log' | 'snapshots'>): Mailer {
  return new SmtpMailer({
    settings: () => smtpSettings(snapshots.current().options),
    report: (cause) => log.warn({ err: cause }, 'a mail could not be sent'),
  });
}

/** Builds the services and routes around mail. */
export function buildAccounts(foundation: Foundation, parts: { mailer: Mailer; passwords: Passwords }): AccountParts {
  const { config, log, nowSeconds, keyring, database, bus, snapshots, counters } = foundation;
  const { mailer, passwords } = parts;
  const options = () => snapshots.current().options;
  const report = (cause: unknown) => log.warn({ err: cause }, 'a mail was not sent');
  const codes = new MailedCodes({
    stores: database.stores,
    hash: (purpose, subject, code) => keyring.codeHash(purpose, subject, code),
    nowSeconds,
  });
  const limits = new MailLimits({
    counters,
    perCaller: config.limits.mail,
    perRecipient: config.limits.mail_recipient,
    perRecipientAndDay: config.limits.mail_recipient_day,
  });
  const common = { database, bus, codes, mailer, limits, options, nowSeconds };
  const emails = new EmailVerification(common);
  const letters = new AccountLetters({ mailer, options, language: config.site.default_language, report });
  const reset = new PasswordReset({
    ...common,
    passwords,
    passwordChanged: (user) => letters.passwordChanged(user),
    report,
  });
  return { emails, letters, routes: verificationRoutes({ emails, reset }) };
}

function smtpSettings(options: OptionsView): SmtpSettings {
  return {
    host: options.get('SMTPServer'),
    port: options.get('SMTPPort'),
    account: options.get('SMTPAccount'),
    password: options.get('SMTPToken'),
    from: options.get('SMTPFrom'),
    senderName: options.get('SystemName'),
    implicitTls: options.get('SMTPSSLEnabled'),
  };
}
