/**
 * Sign-in at any OpenID Connect provider. With a well-known address an ID token is required and its signature, issuer,
 * audience, age and nonce are checked; the account is its `sub`, never an e-mail address (S20, REQ-39).
 */
import type { JSONWebKeySet, JWTPayload } from 'jose';
import type {
  ExternalAccount,
  IdentityProvider,
  ProviderGrant,
  ProviderOptions,
} from '../../domain/identity-provider.ts';
import { formBody, type GuardedFetch, jsonObjectOf, textMember } from '../guarded-fetch.ts';

export interface OidcDeps {
  readonly fetch: GuardedFetch;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** What the provider publishes about itself. */
interface Published {
  readonly issuer: string;
  readonly keysAddress: string;
  readonly keys: JSONWebKeySet;
  /** Where browsers sign out (RP-Initiated Logout 1.0); "" when the provider has no such page. */
  readonly signOutPage: string;
  /** Unix milliseconds. */
  readonly readAt: number;
}

const rememberedMs = 3_600_000;
/** A token too long for an address is not kept either: every call of the session would read it. */
const longestHint = 4096;
/** Keys may be new ones, also under the name of an old one or without any; they are looked for this often at most. */
const rereadEveryMs = 60_000;
/** Signatures that a client secret alone could not make. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

export class OidcProvider implements IdentityProvider {
  readonly id = 'oidc';
  readonly name = 'OIDC';
  readonly identity = 'oidcId';
  readonly #deps: OidcDeps;
  readonly #published = new Map<string, Published>();

  constructor(deps: OidcDeps) {
    this.#deps = deps;
  }

  isEnabled(options: ProviderOptions): boolean {
    return options.get('oidc.enabled');
  }

  async exchange(grant: ProviderGrant, options: ProviderOptions): Promise<ExternalAccount> {
    const { fetch } = this.#deps;
    const form = formBody({
      grant_type: 'authorization_code',
      client_id: options.get('oidc.client_id'),
      client_secret: options.get('oidc.client_secret'),
      code: grant.code,
      redirect_uri: `${options.get('ServerAddress').replace(/\/+$/, '')}/oauth/oidc`,
      ...(grant.codeVerifier === '' ? {} : { code_verifier: grant.codeVerifier }),
    });
    const headers = { ...form.headers, accept: 'application/json' };
    const tokens = jsonObjectOf(
      await fetch({ url: options.get('oidc.token_endpoint'), method: 'POST', ...form, headers }),
    );
    const accessToken = textMember(tokens, 'access_token');
    if (accessToken === '') throw new Error('the provider gave no access token');
    const wellKnown = options.get('oidc.well_known');
    const subject =
      wellKnown === ''
        ? undefined
        : await this.#verifiedSubject(textMember(tokens, 'id_token'), {
            wellKnown,
            clientId: options.get('oidc.client_id'),
            nonce: grant.nonce,
          });
    const user = jsonObjectOf(
      await fetch({
        url: options.get('oidc.user_info_endpoint'),
        headers: { accept: 'application/json', authorization: `Bearer ${accessToken}` },
      }),
    );
    const id = textMember(user, 'sub');
    if (id === '') throw new Error('the provider named no account');
    if (subject !== undefined && subject !== id) throw new Error('ID token and user info name different accounts');
    const idToken = textMember(tokens, 'id_token');
    return {
      id,
      username: textMember(user, 'preferred_username'),
      displayName: textMember(user, 'name'),
      email: user.email_verified === true ? textMember(user, 'email') : '',
      ...(subject === undefined ? {} : { signOutHint: idToken.length <= longestHint ? idToken : '' }),
    };
  }

  /** With the ID token of the session the provider need not ask which one is meant. */
  async signOutAddress(hint: string, options: ProviderOptions): Promise<string | undefined> {
    const wellKnown = options.get('oidc.well_known');
    const { signOutPage } = wellKnown === '' ? { signOutPage: '' } : await this.#publishedBy(wellKnown);
    if (!/^https?:\/\//i.test(signOutPage)) return undefined;
    const address = new URL(signOutPage);
    address.searchParams.set('client_id', options.get('oidc.client_id'));
    // Without the token the provider asks the person.
    if (hint !== '' && hint.length <= longestHint) address.searchParams.set('id_token_hint', hint);
    const site = options.get('ServerAddress').replace(/\/+$/, '');
    if (site !== '') address.searchParams.set('post_logout_redirect_uri', `${site}/login`);
    return address.href;
  }

  async #verifiedSubject(
    idToken: string,
    expected: { wellKnown: string; clientId: string; nonce: string },
  ): Promise<string> {
    const { wellKnown, clientId, nonce } = expected;
    if (idToken === '') throw new Error('the provider gave no ID token');
    const claims = await this.#verify(idToken, { wellKnown, clientId });
    // A token for several audiences must have been made for us.
    if (Array.isArray(claims.aud) && claims.aud.length > 1 && claims.azp !== clientId) {
      throw new Error('the ID token was issued to another client');
    }
    if (claims.azp !== undefined && claims.azp !== clientId)
      throw new Error('the ID token was issued to another client');
    // Also where none was issued: a state without one must not take a code that was asked for with one.
    if ((claims.nonce ?? '') !== nonce) throw new Error('the ID token answers another request');
    if (!claims.sub) throw new Error('the ID token names no account');
    return claims.sub;
  }

  async #verify(
    idToken: string,
    { wellKnown, clientId }: { wellKnown: string; clientId: string },
  ): Promise<JWTPayload> {
    // Loaded with the first sign-in, to keep the start short.
    const { createLocalJWKSet, errors, jwtVerify } = await import('jose');
    const verifyBy = async ({ issuer, keys }: Published): Promise<JWTPayload> => {
      const { payload } = await jwtVerify(idToken, createLocalJWKSet(keys), {
        issuer,
        audience: clientId,
        algorithms,
        clockTolerance: 60,
        currentDate: new Date(this.#deps.now()),
        requiredClaims: ['exp', 'iat', 'sub'],
      });
      return payload;
    };
    const known = await this.#publishedBy(wellKnown);
    try {
      return await verifyBy(known);
    } catch (error) {
      const isOtherKey =
        error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWSSignatureVerificationFailed;
      if (!isOtherKey || this.#deps.now() - known.readAt < rereadEveryMs) throw error;
      return verifyBy(await this.#read(wellKnown));
    }
  }

  async #publishedBy(wellKnown: string): Promise<Published> {
    const known = this.#published.get(wellKnown);
    return known && this.#deps.now() - known.readAt < rememberedMs ? known : this.#read(wellKnown);
  }

  async #read(wellKnown: string): Promise<Published> {
    const { fetch, now } = this.#deps;
    const document = jsonObjectOf(await fetch({ url: wellKnown, headers: { accept: 'application/json' } }));
    const [issuer, keysAddress] = [textMember(document, 'issuer'), textMember(document, 'jwks_uri')];
    if (issuer === '' || keysAddress === '') throw new Error('the well-known document names no issuer or keys');
    const { keys } = jsonObjectOf(await fetch({ url: keysAddress, headers: { accept: 'application/json' } }));
    const published = {
      issuer,
      keysAddress,
      keys: { keys: Array.isArray(keys) ? keys : [] },
      signOutPage: textMember(document, 'end_session_endpoint'),
      readAt: now(),
    };
    // One provider at a time: an address that is not configured any more is forgotten.
    this.#published.clear();
    this.#published.set(wellKnown, published);
    return published;
  }
}
