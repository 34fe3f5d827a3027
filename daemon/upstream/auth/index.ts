/**
 * Applies the auth scheme that an adapter named to a request that is about to leave. The only place of the relay
 * where a channel's key meets a request; it knows nothing about vendors beyond the schemes.
 */
import type { AuthScheme } from '../../relay/provider.ts';
import { selectParts } from './key-parts.ts';

/** A request without its credentials. `headers` alternates lower-case names and values. */
export interface RequestDraft {
  readonly method: string;
  readonly url: string;
  readonly headers: string[];
  readonly body: Buffer | undefined;
  /** Of the channel: where a key is traded first, that leaves by it too. */
  readonly proxy?: string | undefined;
}

/** What of a request may carry what a key was traded for. */
export type Signed = Pick<RequestDraft, 'url' | 'headers'>;

/** Resolves one `signed` scheme: signs the draft, or exchanges the key for a short-lived credential first. */
export interface Signer {
  sign(
    draft: RequestDraft,
    key: string,
    settings: Readonly<Record<string, string>>,
  ): RequestDraft | Promise<RequestDraft>;
  /** Drops what the key was traded for, because an upstream refused this request; true if another one may be taken. */
  forget?(key: string, refused: Signed): boolean;
}

/** A scheme that names a signer which is not installed. */
class UnknownSigner extends Error {
  constructor(scheme: string) {
    super(`no signer for scheme ${scheme}`);
    this.name = 'UnknownSigner';
  }
}

/** A trade that was refused because this machine's clock is wrong, or theirs: it says nothing of the key. */
export class WrongClock extends Error {
  constructor() {
    super('the time of a signature was refused: a clock is wrong');
    this.name = 'WrongClock';
  }
}

export class Credentials {
  readonly #signers: ReadonlyMap<string, Signer>;

  constructor(signers: ReadonlyMap<string, Signer>) {
    this.#signers = signers;
  }

  /** Drops a credential that an upstream refused; true where a new one is worth a try. */
  forget(scheme: AuthScheme, key: string, refused: Signed): boolean {
    return scheme.kind === 'signed' && this.#signers.get(scheme.scheme)?.forget?.(key, refused) === true;
  }

  /** The draft with its credentials. A promise only where a signer needs to wait. Throws `UnknownSigner`. */
  apply(draft: RequestDraft, scheme: AuthScheme, key: string): RequestDraft | Promise<RequestDraft> {
    switch (scheme.kind) {
      case 'bearer':
        return { ...draft, headers: [...draft.headers, 'authorization', `Bearer ${selectParts(key, scheme.parts)}`] };
      case 'header':
        return { ...draft, headers: [...draft.headers, scheme.name.toLowerCase(), `${scheme.prefix ?? ''}${key}`] };
      case 'query': {
        const joint = draft.url.includes('?') ? '&' : '?';
        return { ...draft, url: `${draft.url}${joint}${encodeURIComponent(scheme.name)}=${encodeURIComponent(key)}` };
      }
      case 'none':
        return draft;
      case 'signed': {
        const signer = this.#signers.get(scheme.scheme);
        if (signer === undefined) throw new UnknownSigner(scheme.scheme);
        return signer.sign(draft, key, scheme.settings ?? {});
      }
    }
  }
}
