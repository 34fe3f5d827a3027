/** What accounts need beside their own rules: mail and codes, check-ins and invites. */
import { AccountLetters } from '../domain/account-letters.ts';
import { CalendarDays } from '../domain/calendar-day.ts';
import { CheckInService } from '../domain/check-in.ts';
import { EmailVerification } from '../domain/email-verification.ts';
import type { HumanCheckVerifier } from '../domain/human-check.ts';
import { InviteService } from '../domain/invites.ts';
import { MailLimits } from '../domain/mail-limits.ts';
import { MailedCodes } from '../domain/mailed-codes.ts';
import { NoticeTests } from '../domain/notice-tests.ts';
import { PasswordReset } from '../domain/password-reset.ts';
import type { Passwords } from '../domain/passwords.ts';
import type { Route } from '../http/implement.ts';
import { rewardRoutes } from '../http/routes/management/rewards.ts';
import { verificationRoutes } from '../http/routes/management/verification.ts';
import { guardedFetch } from '../integrations/guarded-fetch.ts';
import { turnstileVerifier } from '../integrations/human-check.ts';
import type { AddressGuard } from '../upstream/address-guard.ts';
import type { Foundation } from './foundation.ts';
import type { NoticeParts } from './notices.ts';

export interface AccountParts {
  readonly emails: EmailVerification;
  readonly letters: AccountLetters;
  readonly noticeTests: NoticeTests;
  readonly verifyHuman: HumanCheckVerifier;
  readonly routes: readonly Route[];
}

/** Builds the services and their routes. */
export function buildAccounts(
  foundation: Foundation,
  parts: { notices: NoticeParts; passwords: Passwords; guard: AddressGuard },
): AccountParts {
  const { config, log, nowSeconds, keyring, database, bus, snapshots, counters, identities } = foundation;
  const language = config.site.default_language;
  const { passwords, guard } = parts;
  const { mailer, deliver } = parts.notices;
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
  const letters = new AccountLetters({ mailer, options, language, report });
  const emails = new EmailVerification({ ...common, emailChanged: (before) => letters.emailChanged(before) });
  const reset = new PasswordReset({
    ...common,
    passwords,
    passwordChanged: (user) => letters.passwordChanged(user),
    report,
  });
  const checkIns = new CheckInService({
    database,
    options,
    days: new CalendarDays(config.site.time_zone),
    language,
    balanceChanged: (userId) => identities.forgetUser(userId),
    nowSeconds,
  });
  const invites = new InviteService({ database, bus, options, language, nowSeconds });
  const noticeTests = new NoticeTests({ database, deliver, limits, options, nowSeconds });
  const fetch = guardedFetch(guard);
  const verifyHuman = turnstileVerifier({
    fetch,
    address: config.security.human_check_url,
    report: (cause) => log.warn({ err: cause }, 'the human check could not be asked'),
  });
  return {
    emails,
    letters,
    noticeTests,
    verifyHuman,
    routes: [...verificationRoutes({ emails, reset, noticeTests }), ...rewardRoutes({ checkIns, invites })],
  };
}
