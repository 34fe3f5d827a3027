/** What an OpenID Connect provider publishes about itself (OpenID Connect Discovery 1.0), read through the guard. */
import type { Discovery } from '../../domain/self-tests.ts';
import { type GuardedFetch, jsonObjectOf, textMember } from '../guarded-fetch.ts';
import { networkCode } from '../network-code.ts';

/** Never rejects; the reason is a code of the network, or says what is wrong with the document. */
export function oidcDiscovery(fetch: GuardedFetch): (wellKnown: string) => Promise<Discovery> {
  const read = async (url: string) => jsonObjectOf(await fetch({ url, headers: { accept: 'application/json' } }));
  return async (wellKnown) => {
    try {
      const document = await read(wellKnown);
      const [issuer, keysAddress] = [textMember(document, 'issuer'), textMember(document, 'jwks_uri')];
      if (issuer === '' || keysAddress === '') return { kind: 'unread', reason: 'NO_ISSUER_OR_KEYS' };
      const { keys } = await read(keysAddress);
      if (!Array.isArray(keys) || keys.length === 0) return { kind: 'unread', reason: 'NO_KEYS' };
      const endpoints = {
        authorization: textMember(document, 'authorization_endpoint'),
        token: textMember(document, 'token_endpoint'),
        userInfo: textMember(document, 'userinfo_endpoint'),
      };
      return { kind: 'read', issuer, keys: keys.length, endpoints };
    } catch (error) {
      return { kind: 'unread', reason: networkCode(error) ?? 'NO_DOCUMENT' };
    }
  };
}
