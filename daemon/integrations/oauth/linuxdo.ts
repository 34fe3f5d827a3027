/** LinuxDO sign-in. */
import type { IdentityProvider } from '../../domain/identity-provider.ts';
import { formBody, type GuardedFetch, jsonObjectOf, textMember } from '../guarded-fetch.ts';
import { numericId } from './numeric-id.ts';

// Source: management-api.md 3.5.1.
const published = { token: 'https://connect.linux.do/oauth2/token', user: 'https://connect.linux.do/api/user' };

/** @param addresses tests have their own. */
export function linuxDoProvider(fetch: GuardedFetch, addresses: typeof published = published): IdentityProvider {
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
          url: addresses.token,
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
          url: addresses.user,
          headers: { accept: 'application/json', authorization: `Bearer ${accessToken}` },
        }),
      );
      return { id: numericId(user), username: '', displayName: textMember(user, 'name') || 'LinuxDO User', email: '' };
    },
  };
}
