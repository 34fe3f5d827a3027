/** GitHub sign-in: known by the numeric account id, since login names can be renamed and taken by others (W12). */
import type { IdentityProvider } from '../../domain/identity-provider.ts';
import { type GuardedFetch, jsonObjectOf, textMember } from '../guarded-fetch.ts';
import { numericId } from './numeric-id.ts';

/** Of github.com, or of a GitHub Enterprise Server; without a slash at the end. */
export interface GithubSite {
  readonly url: string;
  readonly apiUrl: string;
}

// Source for the paths: GitHub's page on authorizing OAuth apps, read 2026-08.
export function githubProvider(fetch: GuardedFetch, site: GithubSite): IdentityProvider {
  return {
    id: 'github',
    name: 'GitHub',
    identity: 'githubId',
    isEnabled: (options) => options.get('GitHubOAuthEnabled'),
    async exchange({ code }, options) {
      const token = jsonObjectOf(
        await fetch({
          url: `${site.url}/login/oauth/access_token`,
          method: 'POST',
          headers: { accept: 'application/json', 'content-type': 'application/json' },
          body: JSON.stringify({
            client_id: options.get('GitHubClientId'),
            client_secret: options.get('GitHubClientSecret'),
            code,
          }),
        }),
      );
      const accessToken = textMember(token, 'access_token');
      if (accessToken === '') throw new Error('GitHub gave no access token');
      const user = jsonObjectOf(
        await fetch({
          url: `${site.apiUrl}/user`,
          headers: { accept: 'application/json', authorization: `Bearer ${accessToken}` },
        }),
      );
      return { id: numericId(user), username: '', displayName: textMember(user, 'name'), email: '' };
    },
  };
}
