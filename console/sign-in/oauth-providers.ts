/** Signing in at another site and coming back (console.md 6.3, 6.7): GitHub, OpenID Connect, LinuxDO. */
import { oauth as endpoints } from '../../daemon/contract/oauth.ts';
import type { StatusView } from '../../daemon/contract/status.ts';
import { callsFor } from '../api/client.ts';
import { readText } from '../session/storage.ts';
import { authorizationAddress, type OAuthProvider, oauthProviders } from './oauth-address.ts';
import { keepForReturn } from './return-address.ts';

const oauth = callsFor(endpoints);

/** Providers that the site has switched on, in the order they are shown. */
export function providersOn(status: StatusView): readonly OAuthProvider[] {
  const isOn = { github: status.github_oauth, oidc: status.oidc_enabled, linuxdo: status.linuxdo_oauth };
  return oauthProviders.filter((provider) => isOn[provider]);
}

/** Has the server remember the invite code of this visit, for a way to sign in that does not leave for another site. */
export async function rememberInvite(): Promise<void> {
  const aff = readText('aff');
  if (aff) await oauth.state({ aff });
}

/** Leaves for the provider in this tab; rejects when the server opens no state. */
export async function leaveFor(provider: OAuthProvider, status: StatusView, returnTo?: string): Promise<void> {
  const aff = readText('aff');
  const opened = await oauth.state({ ...(aff ? { aff } : {}), provider });
  const address = authorizationAddress(provider, status, opened, window.location.origin);
  keepForReturn(returnTo);
  window.location.assign(address);
}
