/** Which addresses the site takes (management-api.md 3.3). */
import type { OptionsView } from '../contract/options.ts';
import { TollgateError } from '../errors.ts';
import { checkedEmail } from './account-rules.ts';

/** The address as it is stored. Throws `email_invalid`, `email_domain_refused`, `email_alias_refused`. */
export function acceptedEmail(sent: string, options: OptionsView): string {
  const email = checkedEmail(sent, 'email');
  const at = email.lastIndexOf('@');
  const isListed = options.get('EmailDomainWhitelist').includes(email.slice(at + 1));
  if (options.get('EmailDomainRestrictionEnabled') && !isListed) {
    throw new TollgateError('email_domain_refused', {}, { field: 'email' });
  }
  if (options.get('EmailAliasRestrictionEnabled') && /[+.]/.test(email.slice(0, at))) {
    throw new TollgateError('email_alias_refused', {}, { field: 'email' });
  }
  return email;
}
