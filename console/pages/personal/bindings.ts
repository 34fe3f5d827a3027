/** Accounts elsewhere that an account can be bound to, and whether one leads in. */
import type { SelfView } from '../../../daemon/contract/account.ts';
import type { StatusView } from '../../../daemon/contract/status.ts';
import type { SignInWay } from '../../sign-in/provider-icon.tsx';

export interface Binding {
  readonly way: SignInWay;
  /** "" while nothing is bound. */
  readonly value: string;
  readonly isOn: boolean;
}

/** What can lead to the account, bound or not. */
export function bindingsOf(self: SelfView, status: StatusView | undefined): readonly Binding[] {
  return [
    { way: 'email', value: self.email, isOn: true },
    { way: 'wechat', value: self.wechat_id, isOn: status?.wechat_login === true },
    { way: 'github', value: self.github_id, isOn: status?.github_oauth === true },
    { way: 'oidc', value: self.oidc_id, isOn: status?.oidc_enabled === true },
    { way: 'telegram', value: self.telegram_id, isOn: status?.telegram_oauth === true },
    { way: 'linuxdo', value: self.linux_do_id, isOn: status?.linuxdo_oauth === true },
  ];
}

/** Whether this account is entered without a passkey: by a password, one that is mailed anew, or a provider switched on. */
export function hasOtherWayIn(self: SelfView, status: StatusView): boolean {
  if (status.password_login_enabled && (self.has_password || self.email !== '')) return true;
  return bindingsOf(self, status).some(({ way, value, isOn }) => way !== 'email' && value !== '' && isOn);
}
