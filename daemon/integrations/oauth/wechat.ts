/** WeChat sign-in by a code that the site's own chat server handed out. */
import type { IdentityProvider } from '../../domain/identity-provider.ts';
import { type GuardedFetch, jsonObjectOf, textMember } from '../guarded-fetch.ts';

export function wechatProvider(fetch: GuardedFetch): IdentityProvider {
  return {
    id: 'wechat',
    name: 'WeChat',
    identity: 'wechatId',
    isEnabled: (options) => options.get('WeChatAuthEnabled'),
    async exchange({ code }, options) {
      const server = options.get('WeChatServerAddress').replace(/\/+$/, '');
      const answer = jsonObjectOf(
        await fetch({
          url: `${server}/api/wechat/user?code=${encodeURIComponent(code)}`,
          headers: { authorization: options.get('WeChatServerToken') },
        }),
      );
      const id = answer.success === true ? textMember(answer, 'data') : '';
      if (id === '') throw new Error('the chat server does not know the code');
      return { id, username: '', displayName: '', email: '' };
    },
  };
}
