/** LinuxDO sign-in. */
import type { IdentityProvider } from '../../domain/identity-provider.ts';
import { formBody, type GuardedFetch, jsonObjectOf, textMember } from '../guarded-fetch.ts';
import { numericId } from './numeric-id.ts';

/**
 * Source for the paths: management-api.md 3.5.1.
 * @param site its address, without a slash at the end
 */
export function linuxDoProvider(fetch: GuardedFetch, site: string): IdentityProvider {
  return {
    id: 'linuxdo',
    name: 'LinuxDO',
    identity: 'linuxDoId',
    isEnabled: (options) => options.get('LinuxDOOAuthEnabled'),
    async exchange({ code }, options) {
      const pair = `${options.get('LinuxDOClientId')}:${options.get('LinuxDOClientSecret')}`;
      const form = formBody({ grant_type: 'authorization_code', code });
      const token = jsonObjectOf(
        await fetch({
          url: `${site}/oauth2/token`,
          method: 'POST',
          ...form,
          headers: {
            ...form.headers,
            accept: 'application/json',
            authorization: `Basic ${Buffer.from(pair).toString('base64')}`,
          },
        }),
      );
      const accessToken = textMember(token, 'access_token');
      if (accessToken === '') throw new Error('LinuxDO gave no access token');
      const user = jsonObjectOf(
        await fetch({
          url: `${site}/api/user`,
          headers: { accept: 'application/json', authorization: `Bearer ${accessToken}` },
        }),
      );
      return { id: numericId(user), username: '', displayName: textMember(user, 'name'), email: '' };
    },
  };
}
