/** How each provider is asked, against servers that play them; and what an OpenID Connect provider must not get away with. */
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { IdentityProvider } from '../../../daemon/domain/identity-provider.ts';
import { guardedFetch } from '../../../daemon/integrations/guarded-fetch.ts';
import { githubProvider } from '../../../daemon/integrations/oauth/github.ts';
import { linuxDoProvider } from '../../../daemon/integrations/oauth/linuxdo.ts';
import { OidcProvider } from '../../../daemon/integrations/oauth/oidc.ts';
import { AddressGuard } from '../../../daemon/upstream/address-guard.ts';
import { optionsView } from '../../support/options-view.ts';
import { startWebServer, type WebServer } from '../../support/web-server.ts';

const oauth = suite('identity providers');

let server: WebServer;
let answers: Record<string, unknown> = {};
const fetch = guardedFetch(new AddressGuard({ allow: ['127.0.0.0/8'], channelAllowPrivate: true }));
const grant = { code: 'the code', codeVerifier: '', nonce: '' };

oauth.before(async () => {
  server = await startWebServer(({ url }) => answers[url] ?? {});
});

oauth.after(() => server.stop());

async function outcomeOf(provider: IdentityProvider, options = optionsView()): Promise<string> {
  return provider.exchange(grant, options).then(
    ({ id }) => id,
    () => 'refused',
  );
}

oauth('know GitHub accounts by number and send the secret in the body alone', async () => {
  const github = githubProvider(fetch, { url: server.url, apiUrl: `${server.url}/api/v3` });
  const options = optionsView({ GitHubClientId: 'client', GitHubClientSecret: 'secret' });
  const [tokens, account] = ['/login/oauth/access_token', '/api/v3/user'];
  answers = { [tokens]: { access_token: 'gho' }, [account]: { id: 583231, login: 'octocat', name: 'The Octocat' } };
  server.asked.length = 0;
  assert.equal(await github.exchange(grant, options), {
    id: '583231',
    username: '',
    displayName: 'The Octocat',
    email: '',
  });
  const [token, user] = server.asked;
  assert.equal(JSON.parse(token?.body ?? ''), { client_id: 'client', client_secret: 'secret', code: 'the code' });
  assert.is(user?.headers.authorization, 'Bearer gho');
  for (const id of [0, -1, 1.5, '583231', undefined]) {
    answers = { [tokens]: { access_token: 'gho' }, [account]: { id, login: 'octocat' } };
    assert.is(await outcomeOf(github), 'refused');
  }
  answers = { [tokens]: { error: 'bad_verification_code' }, [account]: { id: 1 } };
  assert.is(await outcomeOf(github), 'refused');
});

oauth('show nothing of an answer that is no JSON, which may be a token', async () => {
  const site = await startWebServer((_call, response) => void response.end('token=gho_secret'));
  const github = githubProvider(fetch, { url: site.url, apiUrl: site.url });
  const reason = await github
    .exchange(grant, optionsView())
    .catch(String)
    .finally(() => site.stop());
  assert.is(reason, 'Error: answered no JSON object');
});

oauth('sign in at LinuxDO with the client in the header', async () => {
  const linuxdo = linuxDoProvider(fetch, server.url);
  answers = { '/oauth2/token': { access_token: 'ld' }, '/api/user': { id: 77, name: 'Some Name' } };
  server.asked.length = 0;
  const options = optionsView({ LinuxDOClientId: 'client', LinuxDOClientSecret: 'secret' });
  assert.is((await linuxdo.exchange(grant, options)).id, '77');
  const [token] = server.asked;
  assert.is(token?.headers.authorization, `Basic ${Buffer.from('client:secret').toString('base64')}`);
  assert.equal(Object.fromEntries(new URLSearchParams(token?.body)), {
    grant_type: 'authorization_code',
    code: 'the code',
  });
});

oauth('of OpenID Connect are believed only with a token of theirs, for us, of now, and for one account', async () => {
  const now = Math.floor(Date.now() / 1000);
  const [good, other] = [await generateKeyPair('RS256'), await generateKeyPair('RS256')];
  const keys = [{ ...(await exportJWK(good.publicKey)), kid: 'k', alg: 'RS256' }];
  const options = optionsView({
    'oidc.client_id': 'tollgate',
    'oidc.token_endpoint': `${server.url}/token`,
    'oidc.user_info_endpoint': `${server.url}/user`,
    'oidc.well_known': `${server.url}/well-known`,
  });
  const claims = { iss: 'https://issuer', aud: 'tollgate', sub: 'ann', iat: now, exp: now + 60 };
  const signed = (over: Record<string, unknown> = {}, key = good.privateKey, alg = 'RS256') =>
    new SignJWT({ ...claims, ...over }).setProtectedHeader({ alg, kid: 'k' }).sign(key);
  const unsigned = [{ alg: 'none' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  const hmac = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256' })
    .sign(Buffer.from('a secret of at least thirty-two bytes'));
  const cases: [string, string | undefined, unknown?][] = [
    ['ann', await signed()],
    ['ann', await signed({ aud: ['tollgate', 'x'], azp: 'tollgate' })],
    ['refused', undefined],
    ['refused', `${unsigned.join('.')}.`],
    ['refused', hmac],
    ['refused', await signed({}, other.privateKey)],
    ['refused', await signed({ iss: 'https://other' })],
    ['refused', await signed({ aud: 'another' })],
    ['refused', await signed({ aud: ['tollgate', 'x'] })],
    ['refused', await signed({ azp: 'another' })],
    ['refused', await signed({ exp: now - 120 })],
    ['refused', await signed({ exp: undefined })],
    ['refused', await signed({ nonce: 'of another sign-in' })],
    ['refused', await signed({ sub: '' }), ''],
    ['refused', await signed(), 'bob'],
    ['refused', await signed(), ''],
  ];
  for (const [at, [expected, idToken, sub = 'ann']] of cases.entries()) {
    answers = {
      '/token': { access_token: 'x', id_token: idToken },
      '/user': { sub },
      '/well-known': { issuer: 'https://issuer', jwks_uri: `${server.url}/keys` },
      '/keys': { keys },
    };
    const provider = new OidcProvider({ fetch, now: () => Date.now() });
    assert.is(await outcomeOf(provider, options), expected, `case ${at}`);
  }
});

oauth('of OpenID Connect may give a new key the name of the old one, which is noticed after a minute', async () => {
  let ahead = 0;
  const provider = new OidcProvider({ fetch, now: () => Date.now() + ahead });
  const options = optionsView({
    'oidc.client_id': 'tollgate',
    'oidc.token_endpoint': `${server.url}/token`,
    'oidc.user_info_endpoint': `${server.url}/user`,
    'oidc.well_known': `${server.url}/well-known`,
  });
  const signInWithNewKey = async (): Promise<string> => {
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const claims = new SignJWT({ iss: 'https://issuer', aud: 'tollgate', sub: 'ann' }).setIssuedAt();
    answers = {
      '/token': {
        access_token: 'x',
        id_token: await claims.setExpirationTime('1h').setProtectedHeader({ alg: 'ES256', kid: 'k' }).sign(privateKey),
      },
      '/user': { sub: 'ann' },
      '/well-known': { issuer: 'https://issuer', jwks_uri: `${server.url}/keys` },
      '/keys': { keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }] },
    };
    return outcomeOf(provider, options);
  };
  assert.is(await signInWithNewKey(), 'ann');
  assert.is(await signInWithNewKey(), 'refused', 'forged tokens must not make the provider be asked each time');
  ahead = 61_000;
  assert.is(await signInWithNewKey(), 'ann');
});

oauth('of OpenID Connect are signed out at their provider, with their token where an address holds it', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const options = optionsView({
    'oidc.client_id': 'tollgate',
    'oidc.token_endpoint': `${server.url}/token`,
    'oidc.user_info_endpoint': `${server.url}/user`,
    'oidc.well_known': `${server.url}/well-known`,
  });
  for (const groups of [['staff'], Array.from({ length: 400 }, (_, at) => `a group of the company, ${at}`)]) {
    const claims = new SignJWT({ iss: 'https://issuer', aud: 'tollgate', sub: 'ann', groups }).setIssuedAt();
    const token = await claims.setExpirationTime('1h').setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
    answers = {
      '/token': { access_token: 'x', id_token: token },
      '/user': { sub: 'ann' },
      '/well-known': {
        issuer: 'https://issuer',
        jwks_uri: `${server.url}/keys`,
        end_session_endpoint: 'https://issuer/end',
      },
      '/keys': { keys: [await exportJWK(publicKey)] },
    };
    const provider = new OidcProvider({ fetch, now: () => Date.now() });
    const { signOutHint } = await provider.exchange(grant, options);
    const kept = groups.length === 1 ? token : '';
    assert.is(signOutHint, kept, 'a session is read with every call');
    const address = new URL((await provider.signOutAddress(kept, options)) ?? '');
    assert.equal([address.pathname, address.searchParams.get('id_token_hint')], ['/end', kept || null]);
  }
});

oauth.run();
