/** Baidu's two trades of a key for a token. Source: providers/baidu.md, read 2026-11. */
import { createHmac } from 'node:crypto';
import type { JsonObject } from '../../relay/json.ts';
import type { RequestDraft, Signed, Signer } from './index.ts';
import type { FetchedToken, TokenCache, TokenCall } from './token-cache.ts';

export interface BaiduDeps {
  readonly call: TokenCall;
  readonly tokens: TokenCache;
  /** Unix milliseconds. */
  readonly now: () => number;
}

const iamHost = 'iam.bj.baidubce.com';
/** How long a signature counts, and how long the token that it buys. */
const signatureSeconds = 1800;
const tokenSeconds = 86_400;

/** Behind the channel's own address: what stands before it may be the beginning of a path. */
const apiPath = '/rpc/2.0/';

/** The address that a call was made below. */
function baseOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname.slice(0, Math.max(0, pathname.indexOf(apiPath)));
}

function oauthName(base: string, key: string): string {
  return `oauth ${base} ${key}`;
}

function iamName(key: string): string {
  return `iam ${key}`;
}

/** Wenxin: `id|secret` buys an access token, which stands in the query. Rejects where the trade fails. */
export class BaiduOauth implements Signer {
  readonly #deps: BaiduDeps;

  constructor(deps: BaiduDeps) {
    this.#deps = deps;
  }

  async sign(draft: RequestDraft, key: string): Promise<RequestDraft> {
    const base = baseOf(draft.url);
    const token = await this.#deps.tokens.get(oauthName(base, key), () => this.#trade(base, key, draft.proxy));
    const joint = draft.url.includes('?') ? '&' : '?';
    return { ...draft, url: `${draft.url}${joint}access_token=${encodeURIComponent(token)}` };
  }

  forget(key: string, { url }: Signed): boolean {
    const used = new URL(url).searchParams.get('access_token');
    return this.#deps.tokens.forget(oauthName(baseOf(url), key), (token) => token === used);
  }

  /** A private deployment, or a host that stands between, trades keys itself. */
  async #trade(base: string, key: string, proxy: string | undefined): Promise<FetchedToken> {
    const at = key.indexOf('|');
    if (at < 0) throw new Error('a key of Wenxin consists of an id and a secret');
    const query = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: key.slice(0, at).trim(),
      client_secret: key.slice(at + 1).trim(),
    });
    const url = `${base}/oauth/2.0/token?${query.toString()}`;
    const headers = ['content-type', 'application/json', 'accept', 'application/json'];
    const answer = await this.#deps.call({ method: 'POST', url, headers, proxy });
    const { token, seconds } = readToken(answer, 'access_token');
    return { token, ttlMs: seconds * 1000 };
  }
}

/** Qianfan: `id|secret` signs a request for a bearer token. Rejects where the trade fails. */
export class BaiduIam implements Signer {
  readonly #deps: BaiduDeps;

  constructor(deps: BaiduDeps) {
    this.#deps = deps;
  }

  async sign(draft: RequestDraft, key: string): Promise<RequestDraft> {
    const token = await this.#deps.tokens.get(iamName(key), () => this.#trade(key, draft.proxy));
    return { ...draft, headers: [...draft.headers, 'authorization', `Bearer ${token}`] };
  }

  forget(key: string, { headers }: Signed): boolean {
    return this.#deps.tokens.forget(iamName(key), (token) => headers.includes(`Bearer ${token}`));
  }

  async #trade(key: string, proxy: string | undefined): Promise<FetchedToken> {
    const at = key.indexOf('|');
    const path = '/v1/BCE-BEARER/token';
    const authorization = signBce({
      accessKeyId: key.slice(0, at).trim(),
      secretKey: key.slice(at + 1).trim(),
      moment: new Date(this.#deps.now()),
      path,
      query: `expireInSeconds=${tokenSeconds}`,
      host: iamHost,
    });
    const url = `https://${iamHost}${path}?expireInSeconds=${tokenSeconds}`;
    const answer = await this.#deps.call({ method: 'GET', url, headers: ['authorization', authorization], proxy });
    const { token } = readToken(answer, 'token');
    return { token, ttlMs: tokenSeconds * 1000 };
  }
}

/** The token of an answer, with the seconds that it says to live. Throws where there is none. */
function readToken(answer: JsonObject, member: string): { token: string; seconds: number } {
  const token = answer[member];
  if (typeof token !== 'string' || token === '') throw new Error(`no ${member} in the answer`);
  return { token, seconds: typeof answer.expires_in === 'number' ? answer.expires_in : 0 };
}

/** What a BCE signature of a GET without further headers covers. */
export interface BceRequest {
  readonly accessKeyId: string;
  readonly secretKey: string;
  readonly moment: Date;
  readonly path: string;
  /** Sorted and percent-encoded. */
  readonly query: string;
  readonly host: string;
}

/** The `Authorization` of version 1. */
export function signBce({ accessKeyId, secretKey, moment, path, query, host }: BceRequest): string {
  const time = moment.toISOString().replace(/\.\d+Z$/, 'Z');
  const prefix = `bce-auth-v1/${accessKeyId}/${time}/${signatureSeconds}`;
  const signingKey = createHmac('sha256', secretKey).update(prefix).digest('hex');
  const canonical = ['GET', path, query, `host:${encodeURIComponent(host)}`].join('\n');
  const signature = createHmac('sha256', signingKey).update(canonical).digest('hex');
  return `${prefix}/host/${signature}`;
}
