/** Tencent Cloud's TC3-HMAC-SHA256. Source: providers/tencent.md, read 2026-11. */
import { createHash, createHmac } from 'node:crypto';
import type { RequestDraft, Signer } from './index.ts';
import { partsOf } from './key-parts.ts';

/** What a signature covers. */
export interface Tc3Request {
  readonly secretId: string;
  readonly secretKey: string;
  readonly service: string;
  readonly action: string;
  readonly host: string;
  readonly contentType: string;
  readonly body: Buffer | string;
  /** Unix seconds. */
  readonly timestamp: number;
}

const algorithm = 'TC3-HMAC-SHA256';
const signedHeaders = 'content-type;host;x-tc-action';

/** The `Authorization` of a POST to `/`. */
export function signTc3(request: Tc3Request): string {
  const { service, timestamp, contentType, host, action } = request;
  const date = new Date(timestamp * 1000).toISOString().slice(0, 10);
  const headers = `content-type:${contentType}\nhost:${host}\nx-tc-action:${action.toLowerCase()}\n`;
  const canonical = ['POST', '/', '', headers, signedHeaders, sha256(request.body)].join('\n');
  const scope = `${date}/${service}/tc3_request`;
  const toSign = [algorithm, String(timestamp), scope, sha256(canonical)].join('\n');
  const signing = hmac(hmac(hmac(`TC3${request.secretKey}`, date), service), 'tc3_request');
  const signature = createHmac('sha256', signing).update(toSign).digest('hex');
  return `${algorithm} Credential=${request.secretId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
}

function sha256(text: Buffer | string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** Signs with a key of the form `appId|secretId|secretKey`; `settings` name `service` and `action`. */
export class TencentTc3 implements Signer {
  readonly #now: () => number;

  /** `now` in Unix milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  sign(draft: RequestDraft, key: string, settings: Readonly<Record<string, string>>): RequestDraft {
    const [, secretId = '', secretKey = ''] = partsOf(key);
    const timestamp = Math.floor(this.#now() / 1000);
    const at = draft.headers.indexOf('content-type');
    const authorization = signTc3({
      secretId,
      secretKey,
      service: settings.service ?? '',
      action: settings.action ?? '',
      host: new URL(draft.url).host,
      contentType: draft.headers[at + 1] ?? '',
      body: draft.body ?? '',
      timestamp,
    });
    return {
      ...draft,
      headers: [...draft.headers, 'x-tc-timestamp', String(timestamp), 'authorization', authorization],
    };
  }
}
