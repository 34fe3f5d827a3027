/** The command line's `fetch`: proxies from the environment, an extra certificate authority, Ctrl-C, and `--debug` lines. */
import { readFile } from 'node:fs/promises';
import { checkServerIdentity, type PeerCertificate, rootCertificates } from 'node:tls';
import type { Dispatcher } from 'undici';
import { localError, notRead } from './errors.ts';
import { both } from './language.ts';
import { isPlainRemote } from './profile.ts';
import { type ConnectOptions, type ProxiedWay, proxiedWay, proxiesOf } from './proxies.ts';

/** A call whose outcome is not known before its answer. */
export interface SentCall {
  readonly url: string;
  /** Makes the call safe to repeat. */
  readonly idempotencyKey: string | undefined;
}

/** One try of such a call, told how it ended; of one that breaks off nothing is told. */
export interface WatchedTry {
  answered(response: Response): void;
  /** No connection was made, so that this try had no effect. */
  neverSent(): void;
}

export interface FetchOptions {
  /** Names the proxies. */
  environment: NodeJS.ProcessEnv;
  /** PEM file trusted beside the platform's authorities. */
  caFile: string | undefined;
  /** Aborts every call. */
  signal: AbortSignal;
  /** Told before every call; what it throws is the end of the call. */
  beforeCall?(method: string): void;
  /** Told of every try of a call that may change something; undefined for one whose end nobody asks about. */
  onWrite?(call: SentCall): WatchedTry | undefined;
  /** Told of the server's certificate where a connection is made and its authority is known, whatever the way there. */
  onCertificate?(certificate: PeerCertificate): void;
  /** One line per call, secrets left out. */
  onCall?(line: string): void;
}

/** What Node trusts beside its own list; it says nothing of a file that cannot be read but a warning of its own. */
async function extraAuthorities({ NODE_EXTRA_CA_CERTS: path }: NodeJS.ProcessEnv): Promise<string[]> {
  if (!path) return [];
  return readFile(path, 'utf8').then(
    (text) => [text],
    () => [],
  );
}

/** What a file holds of authorities. Throws exit 12 for one that cannot be read, and for one that would be passed over. */
async function authorityIn(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw notRead(path, { field: '--ca-file', cause });
  });
  if (text.includes('-----BEGIN CERTIFICATE-----') || text.includes('-----BEGIN TRUSTED CERTIFICATE-----')) return text;
  throw localError(both(`${path} holds no certificate in PEM`, `${path} 中没有 PEM 格式的证书`), {
    field: '--ca-file',
    hint: both('it begins with -----BEGIN CERTIFICATE-----', '其开头应为 -----BEGIN CERTIFICATE-----'),
  });
}

/** Loaded for the first call: it takes a fifth of what the command line needs to start, and many commands make none. */
const loadUndici = () => import('undici');

/** What a call goes out through. */
type WayTo = (url: string) => { readonly dispatcher: Dispatcher; readonly proxied?: ProxiedWay };

async function wayFor({ caFile, environment, onCertificate }: FetchOptions): Promise<WayTo> {
  const ca = caFile === undefined ? undefined : await authorityIn(caFile);
  const connect: ConnectOptions = {
    timeout: 5000,
    ...(ca === undefined ? {} : { ca: [...rootCertificates, ...(await extraAuthorities(environment)), ca] }),
  };
  const toServer: ConnectOptions =
    onCertificate === undefined
      ? connect
      : {
          ...connect,
          checkServerIdentity(host, certificate) {
            onCertificate(certificate);
            return checkServerIdentity(host, certificate);
          },
        };
  const proxies = proxiesOf(environment);
  const undici = await loadUndici();
  const direct = new undici.Agent({ connect: toServer, keepAliveTimeout: 1 });
  return (url) => {
    // What is in the clear because it stays on this machine does not leave it.
    const isHere = /^http:/i.test(url) && !isPlainRemote(url);
    const proxied =
      proxies === undefined || isHere ? undefined : proxiedWay(undici, url, { proxies, toProxy: connect, toServer });
    return proxied === undefined ? { dispatcher: direct } : { dispatcher: proxied.dispatcher, proxied };
  };
}

/** Makes the function that the typed client calls. */
export async function fetchFor(options: FetchOptions): Promise<(url: string, init: RequestInit) => Promise<Response>> {
  const wayTo = await wayFor(options);
  return async (url, init) => {
    options.beforeCall?.(init.method ?? 'GET');
    const began = performance.now();
    const signal = init.signal ? AbortSignal.any([init.signal, options.signal]) : options.signal;
    const isWrite = init.method !== undefined && init.method !== 'GET' && init.method !== 'HEAD';
    const idempotencyKey = new Headers(init.headers).get('idempotency-key') ?? undefined;
    const watched = isWrite ? options.onWrite?.({ url, idempotencyKey }) : undefined;
    const { dispatcher, proxied } = wayTo(url);
    const response = await fetchThrough(url, { ...init, redirect: 'manual', signal }, dispatcher).catch(
      async (error: unknown) => {
        // What a proxy has not answered yet would keep the program from ending.
        proxied?.end();
        const { wasNeverSent } = await import('../daemon/contract/never-sent.ts');
        const isUnmade = wasNeverSent(error);
        if (isUnmade) watched?.neverSent();
        throw signal.aborted ? error : (proxied?.failureOf(error, isUnmade) ?? error);
      },
    );
    watched?.answered(response);
    if (options.onCall) {
      const path = withoutQuerySecrets(url.replace(/^https?:\/\/[^/]+/, ''));
      const ms = (performance.now() - began).toFixed(0);
      options.onCall(
        `${init.method ?? 'GET'} ${path} ${response.status} ${ms} ms ${response.headers.get('x-request-id') ?? ''}`,
      );
    }
    return cutBy(options.signal, response);
  };
}

/** An address as it may be shown. */
export function withoutQuerySecrets(address: string): string {
  return address.replace(/([?&](?:key|(?:access_)?token|code|state)=)[^&#\s]*/g, '$1***');
}

// undici's fetch is the platform's own implementation; only its type declarations are a second copy.
async function fetchThrough(url: string, init: RequestInit, dispatcher: Dispatcher): Promise<Response> {
  const { fetch } = await loadUndici();
  return Reflect.apply(fetch, undefined, [url, { ...init, dispatcher }]);
}

/**
 * The answer with a body that ends when the signal does: fetch may forget its own signal while an answer is read (see
 * `readEvents`), and a long file would go on after Ctrl-C.
 */
function cutBy(signal: AbortSignal, response: Response): Response {
  if (response.body === null) return response;
  return new Response(response.body.pipeThrough(new TransformStream(), { signal }), response);
}
