/** Where the browser is sent to sign in elsewhere (console.md 6.3). */
import type { StatusView } from '../../daemon/contract/status.ts';

export const oauthProviders = ['github', 'oidc', 'linuxdo'] as const;
export type OAuthProvider = (typeof oauthProviders)[number];

export function isOAuthProvider(name: string | undefined): name is OAuthProvider {
  return oauthProviders.some((provider) => provider === name);
}

/** What the server hands out for one sign-in. */
export interface OpenedState {
  readonly data: string;
  readonly nonce?: string | undefined;
  readonly code_challenge?: string | undefined;
  readonly code_challenge_method?: string | undefined;
}

/**
 * The provider's page, with all it needs to send the browser back here.
 * @param origin of this console, which the OpenID Connect provider is told to return to
 */
export function authorizationAddress(
  provider: OAuthProvider,
  status: StatusView,
  opened: OpenedState,
  origin: string,
): string {
  const { endpoint, query } = {
    github: {
      endpoint: status.github_authorization_endpoint,
      query: { client_id: status.github_client_id, state: opened.data, scope: 'user:email' },
    },
    oidc: {
      endpoint: status.oidc_authorization_endpoint,
      query: {
        client_id: status.oidc_client_id,
        redirect_uri: `${origin}/oauth/oidc`,
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
