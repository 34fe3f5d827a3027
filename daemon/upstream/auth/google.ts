/**
 * Google Cloud's credentials: a service account signs a statement and trades it for a token; an API key goes as it is.
 * Source: providers/vertex.md, "Auth", read 2026-11.
 */
import { type RequestDraft, type Signed, type Signer, WrongClock } from './index.ts';
import type { TokenCache, TokenCall } from './token-cache.ts';

/** A key as operators enter it, read into its parts. */
export type GoogleKey =
  | { readonly kind: 'api-key'; readonly key: string; readonly project: string }
  | {
      readonly kind: 'service-account';
      readonly project: string;
      readonly email: string;
      readonly keyId: string;
      /** PKCS#8 in PEM. */
      readonly privateKey: string;
      readonly tokenUri: string;
    };

const defaultTokenUri = 'https://oauth2.googleapis.com/token';
const scope = 'https://www.googleapis.com/auth/cloud-platform';
const lifetimeSeconds = 3600;

/** The JSON file of a service account, or `[PROJECT|]APIKEY`; undefined for a file that lacks what is needed. */
export function readGoogleKey(text: string): GoogleKey | undefined {
  const key = text.trim();
  if (!key.startsWith('{')) {
    const [first = '', second] = key.split('|').map((part) => part.trim());
    return second === undefined
      ? { kind: 'api-key', key: first, project: '' }
      : { kind: 'api-key', key: second, project: first };
  }
  const file = parse(key);
  const read = (name: string): string => {
    const value = file?.get(name);
    return typeof value === 'string' ? value : '';
  };
  const email = read('client_email');
  const privateKey = read('private_key');
  if (email === '' || privateKey === '') return undefined;
  return {
    kind: 'service-account',
    project: read('project_id'),
    email,
    keyId: read('private_key_id'),
    privateKey: toPem(privateKey),
    tokenUri: read('token_uri') || defaultTokenUri,
  };
}

function parse(text: string): ReadonlyMap<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined;
  } catch {
    // What is wrong with the file does not matter: it is no key.
    return undefined;
  }
}

/** The key with proper line ends, whatever became of them on its way through forms and files. */
function toPem(text: string): string {
  const base64 = text.replace(/-----[A-Z ]+-----/g, '').replace(/\\[nr]|\s/g, '');
  const lines = base64.match(/.{1,64}/g) ?? [];
  return ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n');
}

/** The signed statement that is traded for a token. `nowSeconds` is Unix time. */
export async function signStatement(
  key: Extract<GoogleKey, { kind: 'service-account' }>,
  nowSeconds: number,
): Promise<string> {
  // Loaded with the first key of its kind, to keep the start short.
  const { importPKCS8, SignJWT } = await import('jose');
  const privateKey = await importPKCS8(key.privateKey, 'RS256');
  const claims = {
    iss: key.email,
    scope,
    aud: key.tokenUri,
    iat: nowSeconds,
    exp: nowSeconds + lifetimeSeconds,
  };
  const named = key.keyId === '' ? {} : { kid: key.keyId };
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...named }).sign(privateKey);
}

/** Words, for a wrong key has the same code (`invalid_grant`). */
function isAboutTime(error: unknown): boolean {
  if (!(error instanceof Error) || !('answer' in error) || typeof error.answer !== 'string') return false;
  return /short-lived token|reasonable timeframe/i.test(error.answer);
}

export interface GoogleSignerDeps {
  readonly call: TokenCall;
  readonly tokens: TokenCache;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Signs with whichever kind of key the channel has. */
export class GoogleSigner implements Signer {
  readonly #deps: GoogleSignerDeps;

  constructor(deps: GoogleSignerDeps) {
    this.#deps = deps;
  }

  async sign(draft: RequestDraft, text: string): Promise<RequestDraft> {
    const key = readGoogleKey(text);
    if (key === undefined) throw new TypeError('the key is no Google key');
    if (key.kind === 'api-key') return { ...draft, headers: [...draft.headers, 'x-goog-api-key', key.key] };
    const token = await this.#deps.tokens.get(text, () => this.#fetch(key, draft.proxy));
    return { ...draft, headers: [...draft.headers, 'authorization', `Bearer ${token}`] };
  }

  forget(text: string, { headers }: Signed): boolean {
    return this.#deps.tokens.forget(text, (token) => headers.includes(`Bearer ${token}`));
  }

  async #fetch(key: Extract<GoogleKey, { kind: 'service-account' }>, proxy: string | undefined) {
    const assertion = await signStatement(key, Math.floor(this.#deps.now() / 1000));
    const grant = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion });
    const answer = await this.#deps
      .call({
        method: 'POST',
        url: key.tokenUri,
        headers: ['content-type', 'application/x-www-form-urlencoded'],
        body: Buffer.from(grant.toString()),
        proxy,
      })
      .catch((error: unknown) => {
        throw isAboutTime(error) ? new WrongClock() : error;
      });
    const { access_token: token, expires_in: seconds } = answer;
    if (typeof token !== 'string' || token === '') throw new TypeError('the answer has no token');
    return { token, ttlMs: (typeof seconds === 'number' ? seconds : lifetimeSeconds) * 1000 };
  }
}
