/**
 * Fetches files whose addresses came from users (relay.md 17.7): every hop is checked by the guard, and size, time and
 * number are limited. Says nothing about what a file is; who asked for it judges that by its bytes.
 */
import { Agent, buildConnector, request } from 'undici';
import { type AddressGuard, AddressRefused } from './address-guard.ts';

/** Why a file could not be had, in words that a client may read. */
export type DownloadRefusal =
  | 'it is of another kind'
  | 'the address is not allowed'
  | 'the address cannot be reached'
  | 'it was redirected too often'
  | 'it is too large'
  | 'it took too long'
  | 'its server refused'
  | 'it was called off';

/** A file that was not fetched. The cause may name hosts: for operators only. */
export class DownloadFailed extends Error {
  readonly reason: DownloadRefusal;

  constructor(reason: DownloadRefusal, cause?: unknown) {
    super(reason, cause === undefined ? undefined : { cause });
    this.name = 'DownloadFailed';
    this.reason = reason;
  }
}

export interface Download {
  readonly bytes: Buffer;
  /** As the server tells, without parameters; "" when it does not. */
  readonly contentType: string;
}

/** Takes a file as it comes. */
export interface FileTaker {
  /** Before the first bytes; false refuses the file. `contentType` without parameters, "" where none is told. */
  begin(contentType: string): boolean;
  /** Resolves when more may come. */
  take(chunk: Buffer): Promise<void> | undefined;
}

export interface MediaDownloadsConfig {
  readonly guard: AddressGuard;
  /** Of one file. */
  readonly maxBytes: number;
  /** False: https only. */
  readonly allowHttp: boolean;
  /** A service that fetches in our place (`WorkerUrl`, `WorkerValidKey`); an empty address means none. */
  readonly worker: () => { readonly url: string; readonly key: string };
  readonly userAgent: string;
  /** Default 10 s. */
  readonly connectMs?: number;
  /** From the moment a file is asked for to its last byte; 60 s by default. */
  readonly totalMs?: number;
  /** Files fetched at once by this node; 64 by default. Others wait, within their time. */
  readonly atOnce?: number;
}

type Answer = Awaited<ReturnType<typeof request>>;
type Reader<T> = (answer: Answer, calledOff: AbortSignal) => Promise<T>;

const ports: ReadonlySet<string> = new Set(['80', '443', '8080', '8443']);
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const mostRedirects = 3;

export class MediaDownloads {
  readonly #config: MediaDownloadsConfig;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(config: MediaDownloadsConfig) {
    this.#config = config;
  }

  /** Bytes that one file may have. */
  get maxBytes(): number {
    return this.#config.maxBytes;
  }

  /** The file at an http(s) address. Rejects with `DownloadFailed`. */
  fetch(url: string, calledOff: AbortSignal): Promise<Download> {
    return this.#reach(url, calledOff, (answer) => this.#read(answer));
  }

  /** As `fetch`, handed on piece by piece. What was taken when it rejects is not whole. */
  stream(url: string, calledOff: AbortSignal, taker: FileTaker): Promise<void> {
    return this.#reach(url, calledOff, async (answer, signal) => {
      const { body, contentType } = this.#open(answer);
      if (!taker.begin(contentType)) throw new DownloadFailed('it is of another kind');
      for await (const part of body) {
        const taking = taker.take(part);
        if (taking !== undefined) await unlessAborted(taking, signal);
      }
    });
  }

  async #reach<T>(url: string, calledOff: AbortSignal, read: Reader<T>): Promise<T> {
    const timeout = AbortSignal.timeout(this.#config.totalMs ?? 60_000);
    const signal = AbortSignal.any([calledOff, timeout]);
    try {
      signal.throwIfAborted();
      await this.#enter(signal);
      try {
        const { url: worker } = this.#config.worker();
        return worker === '' ? await this.#follow(url, signal, read) : await this.#askWorker(url, signal, read);
      } finally {
        this.#leave();
      }
    } catch (error) {
      if (error instanceof DownloadFailed) throw error;
      if (calledOff.aborted) throw new DownloadFailed('it was called off');
      if (timeout.aborted) throw new DownloadFailed('it took too long', error);
      // A name that leads inside is told as one that leads nowhere: clients could else look for those of the site's network.
      const isRefused = error instanceof AddressRefused && error.judged === 'as-written';
      throw new DownloadFailed(isRefused ? 'the address is not allowed' : 'the address cannot be reached', error);
    }
  }

  async #follow<T>(start: string, signal: AbortSignal, read: Reader<T>): Promise<T> {
    let url = start;
    for (let hop = 0; hop <= mostRedirects; hop += 1) {
      const answer = await this.#get(this.#checked(url), signal, read);
      if ('file' in answer) return answer.file;
      url = answer.movedTo;
    }
    throw new DownloadFailed('it was redirected too often');
  }

  /** Everything that can be said before the name is resolved. */
  #checked(url: string): URL {
    if (!URL.canParse(url)) throw new DownloadFailed('the address is not allowed');
    const target = new URL(url);
    const isSecure = target.protocol === 'https:';
    const isAllowed = isSecure || (target.protocol === 'http:' && this.#config.allowHttp);
    this.#config.guard.checkUrl(target, 'guarded');
    const isUsualPort = ports.has(portOf(target)) || this.#config.guard.isListed(target);
    if (!isAllowed || !isUsualPort) throw new DownloadFailed('the address is not allowed');
    return target;
  }

  async #get<T>(
    target: URL,
    signal: AbortSignal,
    read: Reader<T>,
  ): Promise<{ readonly file: T } | { readonly movedTo: string }> {
    return this.#dispatch(target, 'guarded', async (dispatcher) => {
      const answer = await request(target, { dispatcher, method: 'GET', headers: this.#headers(), signal });
      const { statusCode, headers } = answer;
      const { location } = headers;
      if (redirects.has(statusCode) && typeof location === 'string') {
        if (!URL.canParse(location, target)) throw new DownloadFailed('the address cannot be reached');
        return { movedTo: new URL(location, target).href };
      }
      return { file: await read(answer, signal) };
    });
  }

  /** The worker's answer is the file. The address is checked here all the same. */
  async #askWorker<T>(url: string, signal: AbortSignal, read: Reader<T>): Promise<T> {
    const target = this.#checked(url);
    if (target.protocol !== 'https:') throw new DownloadFailed('the address is not allowed');
    await this.#config.guard.checkTarget(target, 'guarded');
    const { url: worker, key } = this.#config.worker();
    const body = JSON.stringify({ url, key, method: 'GET', headers: {} });
    const address = new URL(worker.endsWith('/') ? worker : `${worker}/`);
    return this.#dispatch(address, 'channel', async (dispatcher) => {
      const headers = { ...this.#headers(), 'content-type': 'application/json' };
      return read(await request(address, { dispatcher, method: 'POST', headers, body, signal }), signal);
    });
  }

  #headers(): Record<string, string> {
    return { 'user-agent': this.#config.userAgent, accept: '*/*', 'accept-encoding': 'identity' };
  }

  async #read(answer: Answer): Promise<Download> {
    const { body, contentType } = this.#open(answer);
    const parts: Buffer[] = [];
    for await (const part of body) parts.push(part);
    return { bytes: Buffer.concat(parts), contentType };
  }

  /** A file within the limits: its bytes reject where they are more. */
  #open({ statusCode, headers, body }: Answer): { body: AsyncIterable<Buffer>; contentType: string } {
    const coding = headers['content-encoding'];
    const isPlain = coding === undefined || coding === 'identity';
    if (statusCode < 200 || statusCode > 299 || !isPlain) throw new DownloadFailed('its server refused');
    const { maxBytes } = this.#config;
    if (Number(headers['content-length'] ?? 0) > maxBytes) throw new DownloadFailed('it is too large');
    const type = headers['content-type'];
    const contentType = typeof type === 'string' ? (type.split(';')[0] ?? '').trim() : '';
    return { body: limited(body, maxBytes), contentType };
  }

  /** One connection of its own, which nothing keeps: users choose the hosts, and there may be any number of them. */
  async #dispatch<T>(target: URL, egress: 'guarded' | 'channel', work: (dispatcher: Agent) => Promise<T>): Promise<T> {
    const { guard, connectMs = 10_000 } = this.#config;
    guard.checkUrl(target, egress);
    const connect = buildConnector({ timeout: connectMs, lookup: guard.lookup(egress, portOf(target)) });
    const dispatcher = new Agent({ connect, pipelining: 0 });
    try {
      return await work(dispatcher);
    } finally {
      await dispatcher.destroy();
    }
  }

  async #enter(signal: AbortSignal): Promise<void> {
    if (this.#running < (this.#config.atOnce ?? 64)) {
      this.#running += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        reject(signal.reason);
      };
      this.#waiting.push(enter);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** The place goes to whoever waits longest. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }
}

function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' ? '443' : '80');
}

/** Whoever takes a file may never come back for more of it. */
function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    work.finally(() => signal.removeEventListener('abort', abort)).then(resolve, reject);
  });
}

async function* limited(body: AsyncIterable<Buffer>, maxBytes: number): AsyncIterable<Buffer> {
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > maxBytes) throw new DownloadFailed('it is too large');
    yield part;
  }
}
