/**
 * The media that one request names by address, fetched for upstreams that have to be given their bytes (relay.md 17.7).
 * What one attempt has loaded the next one finds here; nothing outlives the request.
 */
import { TollgateError } from '../errors.ts';
import type { ChatRequest } from '../relay/canonical/chat.ts';
import {
  type FetchedMedium,
  inlineMedia,
  largestInline,
  listRemoteMedia,
  type MediaKind,
  type RemoteMedium,
} from '../relay/canonical/remote-media.ts';
import { fitsKind, mediaTypeOf } from '../relay/formats/media-type.ts';
import { inlineImages, listRemoteImages } from '../relay/formats/openai-images/remote.ts';
import type { JsonObject } from '../relay/json.ts';
import { type ImageSize, readImageSize } from '../relay/tokens/image-size.ts';
import type { ImageSizes } from '../relay/tokens/prompt.ts';
import { type Download, DownloadFailed } from '../upstream/media-download.ts';

/** Where files come from: `MediaDownloads`, or nothing at all for channel tests. */
export interface MediaDownloadPort {
  /** Of one file. */
  readonly maxBytes: number;
  /** Rejects with `DownloadFailed`. */
  fetch(url: string, calledOff: AbortSignal): Promise<Download>;
}

/** Files fetched at once for one request. */
const atOnce = 8;
/** Addresses that one request may name. */
const mostFiles = 100;
/** All files of a request together may have as many bytes as this many of the largest allowed. */
const mostLargeFiles = 2;
const shownAddress = 80;

export class RequestMedia {
  readonly #downloads: MediaDownloadPort;
  readonly #loaded = new Map<string, FetchedMedium>();
  readonly #calledOff = new AbortController();
  #bytes = 0;

  constructor(downloads: MediaDownloadPort) {
    this.#downloads = downloads;
  }

  /** The request with its remote media of these kinds inline; a promise to wait for where some are not loaded yet. */
  inlined(request: ChatRequest, kinds: readonly MediaKind[]): ChatRequest | Promise<void> {
    this.#refuseLarge(largestInline(request));
    if (kinds.length === 0) return request;
    const missing = listRemoteMedia(request, kinds).filter(({ url }) => !this.#loaded.has(url));
    return missing.length === 0 ? inlineMedia(request, kinds, this.#loaded) : this.#load(missing);
  }

  /** The members of a call for images with those by address inline; a promise to wait for where some are not loaded. */
  withImages(members: JsonObject): JsonObject | Promise<void> {
    const missing = listRemoteImages(members).filter(({ url }) => !this.#loaded.has(url));
    return missing.length === 0 ? inlineImages(members, this.#loaded) : this.#load(missing);
  }

  /** Sizes of remote images, for the bill of an answer without usage; what cannot be had is left out. */
  readonly sizesOf: ImageSizes = async (urls) => {
    const sizes = new Map<string, ImageSize>();
    const queue = [...new Set(urls)].slice(0, mostFiles);
    const work = async () => {
      for (let url = queue.shift(); url !== undefined; url = queue.shift()) {
        const bytes = await this.#bytesOf(url);
        const size = bytes && readImageSize(bytes);
        if (size !== undefined) sizes.set(url, size);
      }
    };
    await Promise.all(Array.from({ length: Math.min(atOnce, queue.length) }, work));
    return sizes;
  };

  async #bytesOf(url: string): Promise<Buffer | undefined> {
    const loaded = this.#loaded.get(url);
    if (loaded !== undefined) return Buffer.from(loaded.data, 'base64');
    return this.#downloads.fetch(url, this.#calledOff.signal).then(
      ({ bytes }) => bytes,
      () => undefined,
    );
  }

  /** Nobody waits any more. */
  callOff(): void {
    this.#calledOff.abort();
  }

  /** Rejects with `invalid_request` for the first file that cannot be had; the others are called off. */
  async #load(missing: readonly RemoteMedium[]): Promise<void> {
    if (missing.length > mostFiles) {
      throw new TollgateError('invalid_request', { reason: `at most ${mostFiles} addresses of media can be loaded` });
    }
    const queue = [...missing];
    const work = async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) await this.#loadOne(next);
    };
    try {
      await Promise.all(Array.from({ length: Math.min(atOnce, queue.length) }, work));
    } catch (error) {
      this.callOff();
      throw error;
    }
  }

  async #loadOne(medium: RemoteMedium): Promise<void> {
    const { bytes, contentType } = await this.#downloads
      .fetch(medium.url, this.#calledOff.signal)
      .catch((error: unknown) => {
        throw error instanceof DownloadFailed ? refused(medium, error.reason, error) : error;
      });
    this.#bytes += bytes.length;
    if (this.#bytes > this.#downloads.maxBytes * mostLargeFiles)
      throw refused(medium, 'all files together are too large');
    const mediaType = mediaTypeOf({ bytes, contentType, name: nameIn(medium.url) });
    if (!fitsKind(mediaType, medium.kind)) throw refused(medium, `it is ${mediaType}`);
    this.#loaded.set(medium.url, { mediaType, data: bytes.toString('base64') });
  }

  #refuseLarge(bytes: number): void {
    if (bytes > this.#downloads.maxBytes) {
      throw new TollgateError('invalid_request', { reason: 'a file inside the request is too large' });
    }
  }
}

/** For calls that come from nobody's body. */
export const noDownloads: MediaDownloadPort = {
  maxBytes: Number.MAX_SAFE_INTEGER,
  fetch: () => Promise.reject(new DownloadFailed('the address is not allowed')),
};

function refused({ kind, place, url }: RemoteMedium, why: string, cause?: unknown): TollgateError {
  const address = url.length > shownAddress ? `${url.slice(0, shownAddress)}...` : url;
  const reason = `could not load ${kind} ${place}: ${why} (${address})`;
  return new TollgateError('invalid_request', { reason }, cause === undefined ? {} : { cause });
}

function nameIn(url: string): string {
  return URL.canParse(url) ? (new URL(url).pathname.split('/').pop() ?? '') : '';
}
