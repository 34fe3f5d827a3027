/** iFlytek's signed socket addresses. Source: providers/xunfei.md, read 2026-11. */
import { createHmac } from 'node:crypto';
import type { RequestDraft, Signer } from './index.ts';
import { partsOf } from './key-parts.ts';

/** What a signature covers. */
export interface XunfeiUrl {
  /** `ws:` or `wss:`, without a query. */
  readonly url: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly moment: Date;
}

/** The address with its three proofs in the query. */
export function signXunfeiUrl({ url, apiKey, apiSecret, moment }: XunfeiUrl): string {
  const { host, pathname } = new URL(url);
  const date = moment.toUTCString();
  const covered = `host: ${host}\ndate: ${date}\nGET ${pathname} HTTP/1.1`;
  const signature = createHmac('sha256', apiSecret).update(covered).digest('base64');
  const origin = `api_key="${apiKey}", algorithm="hmac-sha256", headers="host date request-line", signature="${signature}"`;
  const proofs = new URLSearchParams({ authorization: Buffer.from(origin).toString('base64'), date, host });
  return `${url}?${proofs.toString()}`;
}

/** Signs with a key of the form `application|secret|key`. */
export class XunfeiUrlSigner implements Signer {
  readonly #now: () => number;

  /** `now` in Unix milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  sign(draft: RequestDraft, key: string): RequestDraft {
    const [, apiSecret = '', apiKey = ''] = partsOf(key);
    const url = signXunfeiUrl({ url: draft.url, apiKey, apiSecret, moment: new Date(this.#now()) });
    return { ...draft, url };
  }
}
