/** What adapters ask beside the relay, models and balances, put to one upstream; and why it told nothing. */
import { sideReasons, statusReason, unreadReason } from '../contract/side-reasons.ts';
import { TollgateError } from '../errors.ts';
import type { Json } from '../relay/json.ts';
import type { ProviderAdapter, SideFacts, SideRequest } from '../relay/provider.ts';
import type { Credentials, RequestDraft } from '../upstream/auth/index.ts';
import { keySettings } from '../upstream/auth/key-settings.ts';
import { type Transport, TransportError } from '../upstream/transport.ts';
import { callJson, refusalWords, SideCallFailed } from './side-call.ts';
import { baseAddressOf, proxyOf } from './upstream-request.ts';

/** An upstream as its side requests need it. */
export interface SideTarget {
  readonly adapter: ProviderAdapter;
  readonly key: string;
  /** Undefined for an upstream that is not saved. */
  readonly keyId: number | undefined;
  readonly facts: SideFacts;
}

export function sideTarget(
  adapter: ProviderAdapter,
  known: { baseUrl: string; other: string; setting: Readonly<Record<string, unknown>>; key: string; keyId?: number },
): SideTarget {
  const baseUrl = baseAddressOf(adapter, known.baseUrl);
  const settings = keySettings(known.key, adapter);
  return {
    adapter,
    key: known.key,
    keyId: known.keyId,
    facts: { baseUrl, other: known.other, setting: known.setting, settings },
  };
}

/** What is said of an upstream that told nothing; the reason is for operators, and without its key. */
export type Untold = 'channel_fetch_failed' | 'channel_balance_failed';

export interface SideRequestDeps {
  readonly transport: Transport;
  readonly credentials: Credentials;
}

const TIMEOUT_MS = 15_000;
/** Nobody offers so many models; an upstream that goes on and on is left at it. */
const MOST_PAGES = 20;

/** Puts one target's side requests, which all throw the same code where the upstream tells nothing. */
export class SideRequests {
  readonly #deps: SideRequestDeps;
  readonly #target: SideTarget;
  readonly #untold: Untold;

  constructor(deps: SideRequestDeps, target: SideTarget, untold: Untold) {
    this.#deps = deps;
    this.#target = target;
    this.#untold = untold;
  }

  /** What the answer tells. */
  async ask<T>(request: SideRequest<T>, maxBytes: number): Promise<T> {
    return (await this.#read(request, maxBytes)).told;
  }

  /** Every page of a list, each entry once. */
  async askAll<T>(request: SideRequest<T[]>, maxBytes: number): Promise<T[]> {
    const all = new Set<T>();
    let path: string | undefined = request.path;
    for (let page = 0; page < MOST_PAGES && path !== undefined; page += 1) {
      const { told, json }: { told: T[]; json: Json } = await this.#read({ ...request, path }, maxBytes);
      for (const entry of told) all.add(entry);
      path = request.next?.(json);
    }
    return [...all];
  }

  async #read<T>(request: SideRequest<T>, maxBytes: number): Promise<{ told: T; json: Json }> {
    const json = await this.#send(request, maxBytes).catch((cause: unknown) => {
      throw new TollgateError(this.#untold, { reason: this.#reasonOf(cause) }, { cause });
    });
    const told = request.read(json);
    // JSON may hold numbers beyond any double, such as 1e999, which are read as infinite.
    const isHeld = typeof told !== 'number' || Number.isFinite(told);
    if (told !== undefined && isHeld) return { told, json };
    const reason = unreadReason(refusalWords(JSON.stringify(json), this.#target.key));
    throw new TollgateError(this.#untold, { reason });
  }

  async #send<T>(request: SideRequest<T>, maxBytes: number): Promise<Json> {
    const { credentials } = this.#deps;
    const url = request.path.startsWith('/') ? this.#target.facts.baseUrl + request.path : request.path;
    const signed = await this.#sign(request, url);
    try {
      return await this.#ask(request, signed, maxBytes);
    } catch (error) {
      const isRefused = error instanceof SideCallFailed && error.status === 401;
      if (!isRefused || !credentials.forget(request.auth, this.#target.key, signed)) throw error;
      // What the key was traded for was no longer valid.
      return this.#ask(request, await this.#sign(request, url), maxBytes);
    }
  }

  async #sign<T>(request: SideRequest<T>, url: string): Promise<RequestDraft> {
    const { method } = request;
    const headers = ['accept', 'application/json', 'accept-encoding', 'gzip, br'];
    for (const [name, value] of Object.entries(request.headers ?? {})) headers.push(name.toLowerCase(), value);
    const body = request.body === undefined ? undefined : Buffer.from(JSON.stringify(request.body));
    if (body !== undefined) headers.push('content-type', 'application/json');
    const proxy = proxyOf(this.#target.facts.setting);
    return this.#deps.credentials.apply({ method, url, headers, body, proxy }, request.auth, this.#target.key);
  }

  #ask<T>({ method }: SideRequest<T>, { url, headers, body, proxy }: RequestDraft, maxBytes: number): Promise<Json> {
    return callJson(this.#deps.transport, { method, url, headers, body, proxy, timeoutMs: TIMEOUT_MS, maxBytes });
  }

  #reasonOf(error: unknown): string {
    if (!(error instanceof SideCallFailed)) return sideReasons.unsigned;
    const { cause, status } = error;
    if (cause instanceof TransportError)
      return cause.kind.endsWith('-timeout') ? sideReasons.late : sideReasons.unreachable;
    if (status >= 200 && status < 300) return cause === undefined ? sideReasons.tooLarge : sideReasons.unread;
    return statusReason(status, refusalWords(error.answer, this.#target.key));
  }
}
