/** Zhipu's token: a JWT whose times are milliseconds. Source: providers/zhipu.md, read 2026-11. */
import { createHmac } from 'node:crypto';
import type { RequestDraft, Signer } from './index.ts';

const ttlMs = 300_000;

function encode(part: Readonly<Record<string, string | number>>): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

/** The token for a key of the form `id.secret`; both times in milliseconds. Throws for a key of another form. */
export function zhipuToken(key: string, times: { readonly now: number; readonly ttl: number }): string {
  const [id, secret, ...rest] = key.split('.');
  if (id === undefined || secret === undefined || rest.length > 0)
    throw new Error('the key is no pair of id and secret');
  const header = encode({ alg: 'HS256', sign_type: 'SIGN' });
  const payload = encode({ api_key: id, exp: times.now + times.ttl, timestamp: times.now });
  const signature = createHmac('sha256', secret).update(`${header}.${payload}`).digest('base64url');
  return `${header}.${payload}.${signature}`;
}

/** Sends the token without the word `Bearer`, as the third generation wants it. */
export class ZhipuJwt implements Signer {
  readonly #now: () => number;

  /** `now` in Unix milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  sign(draft: RequestDraft, key: string): Promise<RequestDraft> {
    return Promise.resolve().then(() => {
      const token = zhipuToken(key, { now: this.#now(), ttl: ttlMs });
      return { ...draft, headers: [...draft.headers, 'authorization', token] };
    });
  }
}
