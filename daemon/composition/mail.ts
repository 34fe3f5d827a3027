/** Mail by the site's options. */
import type { OptionsView } from '../contract/options.ts';
import { SmtpMailer, type SmtpSettings } from '../integrations/mail.ts';
import type { AddressGuard } from '../upstream/address-guard.ts';
import type { Foundation } from './foundation.ts';

/** The one mailer of the daemon; settings are read for every message. */
export function buildMailer(
  { log, snapshots }: Pick<Foundation, 'log' | 'snapshots'>,
  guard: AddressGuard,
): SmtpMailer {
  return new SmtpMailer({
    guard,
    settings: () => smtpSettings(snapshots.current().options),
    report: (cause) => log.warn({ err: cause }, 'a mail could not be sent'),
  });
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
