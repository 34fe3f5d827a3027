/** Amazon's requests: signed by version 4 of its recipe, or with a bearer key where the channel has one. */
import { AwsV4Signer } from 'aws4fetch';
import type { RequestDraft, Signer } from './index.ts';

/** A key as operators enter it, read into its parts. */
export type AwsKey =
  | { readonly kind: 'bearer'; readonly token: string; readonly region: string }
  | {
      readonly kind: 'signing';
      readonly id: string;
      readonly secret: string;
      readonly region: string;
      readonly session: string | undefined;
    };

const regionForm = /^[a-z]{2}(?:-gov|-iso[a-z]*)?-[a-z]+-\d$/;
const idForm = /^(?:AKIA|ASIA|AKID)?[A-Z0-9]{11,128}$/;

/** `ID|SECRET|REGION[|SESSION]` or `TOKEN|REGION`, also with the region in front; undefined for anything else. */
export function readAwsKey(key: string): AwsKey | undefined {
  const written = key.split('|').map((part) => part.trim());
  const [first = ''] = written;
  const parts = regionForm.test(first) ? regionLast(written) : written;
  const [id = '', secret = '', third = '', session] = parts;
  if (parts.length === 2) return id === '' ? undefined : { kind: 'bearer', token: id, region: secret };
  if ((parts.length !== 3 && parts.length !== 4) || !idForm.test(id)) return undefined;
  return { kind: 'signing', id, secret, region: third, session };
}

/** `REGION|ID|SECRET[|SESSION]` in the usual order. */
function regionLast([region = '', ...rest]: readonly string[]): string[] {
  return [...rest.slice(0, 2), region, ...rest.slice(2)];
}

/** Headers that belong to the signature; anything else may change on the way. */
const signedHeaders = /^(?:content-type|x-amzn-.*|anthropic-.*)$/;
/** Belongs to the dialect, which the older service reads from the body. */
const unsentHeaders = /^(?:accept|anthropic-.*)$/;
/** The service that reads the dialect's own headers, and its own name for a bearer key. */
const mantle = 'bedrock-mantle';

export class AwsSigner implements Signer {
  readonly #now: () => number;

  /** @param now Unix milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  async sign(draft: RequestDraft, key: string, settings: Readonly<Record<string, string>>): Promise<RequestDraft> {
    const parts = readAwsKey(key);
    if (parts === undefined) throw new TypeError('the key is no AWS key');
    const isMantle = settings.service === mantle;
    const pairs: [string, string][] = [];
    for (let at = 0; at + 1 < draft.headers.length; at += 2) {
      const name = draft.headers[at] ?? '';
      if (isMantle ? name !== 'accept' : !unsentHeaders.test(name)) pairs.push([name, draft.headers[at + 1] ?? '']);
    }
    if (parts.kind === 'bearer') {
      const isClaude = isMantle && draft.url.includes('/anthropic/');
      const credential = isClaude ? ['x-api-key', parts.token] : ['authorization', `Bearer ${parts.token}`];
      return { ...draft, headers: [...pairs.flat(), ...credential] };
    }
    const signer = new AwsV4Signer({
      method: draft.method,
      url: draft.url,
      headers: pairs.filter(([name]) => signedHeaders.test(name)),
      ...(draft.body === undefined ? {} : { body: Uint8Array.from(draft.body) }),
      accessKeyId: parts.id,
      secretAccessKey: parts.secret,
      ...(parts.session === undefined ? {} : { sessionToken: parts.session }),
      service: settings.service ?? '',
      region: settings.region ?? parts.region,
      datetime: new Date(this.#now()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
      allHeaders: true,
    });
    const { headers } = await signer.sign();
    const plain = pairs.filter(([name]) => !signedHeaders.test(name)).flat();
    // The host header is the transport's to write.
    const signed = [...headers].filter(([name]) => name !== 'host').flat();
    return { ...draft, headers: [...plain, ...signed] };
  }
}
