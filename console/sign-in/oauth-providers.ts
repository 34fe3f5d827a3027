/** Signing in at another site and coming back (console.md 6.3, 6.7): GitHub, OpenID Connect, LinuxDO. */
import { oauth as endpoints } from '../../daemon/contract/oauth.ts';
import type { StatusView } from '../../daemon/contract/status.ts';
import { callsFor } from '../api/client.ts';
import { readText } from '../session/storage.ts';
import { keepForReturn } from './return-address.ts';

const oauth = callsFor(endpoints);

export const oauthProviders = ['github', 'oidc', 'linuxdo'] as const;
export type OAuthProvider = (typeof oauthProviders)[number];

export function isOAuthProvider(name: string | undefined): name is OAuthProvider {
  return oauthProviders.some((provider) => provider === name);
}

/** Providers that the site has switched on, in the order they are shown. */
export function providersOn(status: StatusView): readonly OAuthProvider[] {
  const isOn = { github: status.github_oauth, oidc: status.oidc_enabled, linuxdo: status.linuxdo_oauth };
  return oauthProviders.filter((provider) => isOn[provider]);
}

type OpenState = Awaited<ReturnType<typeof oauth.state>>;

/** Leaves for the provider in this tab; rejects when the server opens no state. */
export async function leaveFor(provider: OAuthProvider, status: StatusView, returnTo?: string): Promise<void> {
  const aff = readText('aff');
  const opened = await oauth.state({ ...(aff ? { aff } : {}), ...(provider === 'oidc' ? { provider } : {}) });
  const address = addressOf(provider, status, opened);
  keepForReturn(returnTo);
  window.location.assign(address);
}

function addressOf(provider: OAuthProvider, status: StatusView, opened: OpenState): string {
  const { endpoint, query } = {
    github: {
      endpoint: status.github_authorization_endpoint,
      query: { client_id: status.github_client_id, state: opened.data, scope: 'user:email' },
    },
    oidc: {
      endpoint: status.oidc_authorization_endpoint,
      query: {
        client_id: status.oidc_client_id,
        redirect_uri: `${window.location.origin}/oauth/oidc`,
        response_type: 'code',
        scope: 'openid profile email',
        state: opened.data,
        nonce: opened.nonce,
        code_challenge: opened.code_challenge,
        code_challenge_method: opened.code_challenge_method,
      },
    },
    linuxdo: {
      endpoint: status.linuxdo_authorization_endpoint,
      query: { response_type: 'code', client_id: status.linuxdo_client_id, state: opened.data },
    },
  }[provider];
  const address = new URL(endpoint);
  // The endpoints are text of the options: nothing but a page of the web may be opened.
  if (address.protocol !== 'https:' && address.protocol !== 'http:') throw new Error(`not a web address: ${endpoint}`);
  for (const [name, value] of Object.entries(query)) if (value) address.searchParams.set(name, value);
  return address.href;
}
