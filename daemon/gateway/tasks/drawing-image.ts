/**
 * Pictures under this site's own address (relay.md 8.7), so that nobody learns the service's and its links do not run
 * out. No key is asked for: whoever knows the id of a task may see its picture.
 */
import type { Drawings, MidjourneyRecord } from '../../domain/drawings.ts';
import { TollgateError } from '../../errors.ts';
import type { FileTaker } from '../../upstream/media-download.ts';
import { refuseBrowserExtensions } from '../admit.ts';
import type { Exchange } from '../exchange.ts';
import { relayStatus } from '../failure-answer.ts';
import type { Gates } from '../gates.ts';

export interface AskedImage {
  readonly id: string;
  /** Counts the visitor; rejects with `too_many_requests`. */
  readonly admitted: () => Promise<void>;
  /** The id of the signed-in visitor; undefined for anybody else. */
  readonly owner: () => Promise<number | undefined>;
}

export interface DrawingImagesDeps {
  readonly gates: Pick<Gates, 'enter' | 'leave'>;
  readonly drawings: Pick<Drawings, 'findAnybodys' | 'findOwned'>;
  readonly downloads: {
    /** Hands a file on; rejects where it cannot be had, is refused or too large. */
    stream(url: string, calledOff: AbortSignal, taker: FileTaker): Promise<void>;
  };
  readonly report: (error: unknown) => void;
}

const DEFAULT_TYPE = 'image/jpeg';
const DAY_SECONDS = 86_400;
/** A picture may be a document with scripts: it is none of ours. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** Never rejects: what goes wrong is answered. */
export async function serveImage(deps: DrawingImagesDeps, exchange: Exchange, asked: AskedImage): Promise<void> {
  let entered = false;
  try {
    deps.gates.enter(exchange);
    entered = true;
    refuseBrowserExtensions(exchange);
    await asked.admitted();
    await showImage(deps, exchange, asked);
  } catch (error) {
    refuseAs(exchange, error);
  } finally {
    if (entered) deps.gates.leave(exchange);
  }
}

async function showImage(deps: DrawingImagesDeps, exchange: Exchange, asked: AskedImage): Promise<void> {
  const { sink } = exchange;
  const calledOff = new AbortController();
  sink.onGone(() => calledOff.abort());
  try {
    const isForAll = !isGuessable(asked.id);
    const drawing = isForAll ? await deps.drawings.findAnybodys(asked.id) : await findOwners(deps, asked);
    if (drawing === undefined || drawing.imageUrl === '') {
      refuse(exchange, 404, 'midjourney_task_not_found');
      return;
    }
    // What is shown to one visitor is not for caches that many share.
    const kept = `${isForAll ? 'public' : 'private'}, max-age=${DAY_SECONDS}`;
    const caching = drawing.status === 'SUCCESS' ? kept : 'no-store';
    await deps.downloads.stream(drawing.imageUrl, calledOff.signal, new Passage(exchange, caching));
    sink.end();
  } catch (error) {
    if (sink.gone) return;
    deps.report(error);
    if (sink.headersSent) sink.destroy();
    else refuse(exchange, 502, 'http_get_image_failed');
  }
}

/** Servers that count their tasks give each id to several owners. */
async function findOwners({ drawings }: DrawingImagesDeps, asked: AskedImage): Promise<MidjourneyRecord | undefined> {
  const owner = await asked.owner();
  return owner === undefined ? undefined : drawings.findOwned(asked.id, owner);
}

/** Ids of current servers are milliseconds and three random digits. What is shorter, or only counts, can be tried out. */
function isGuessable(id: string): boolean {
  return id.length < 10 || (/^\d+$/.test(id) && id.length < 16);
}

/** In the words of the table: the node has no place for it, or its visitor has had enough. */
function refuseAs(exchange: Exchange, error: unknown): void {
  const { code, retryAfterSeconds } = error instanceof TollgateError ? error : new TollgateError('internal_error');
  if (retryAfterSeconds !== undefined) exchange.sink.setHeader('Retry-After', String(retryAfterSeconds));
  refuse(exchange, relayStatus(code), code);
}

function refuse({ sink }: Exchange, status: number, error: string): void {
  sink.setHeader('Cache-Control', 'no-store');
  sink.answer(status, 'application/json', JSON.stringify({ error }));
}

/** A picture on its way to the client. */
class Passage implements FileTaker {
  readonly #exchange: Exchange;
  readonly #caching: string;

  constructor(exchange: Exchange, caching: string) {
    this.#exchange = exchange;
    this.#caching = caching;
  }

  begin(told: string): boolean {
    const contentType = told === '' ? DEFAULT_TYPE : told.toLowerCase();
    if (!/^(?:image|video)\/[\w.+-]+$/.test(contentType)) return false;
    const { sink } = this.#exchange;
    sink.setHeader('Cache-Control', this.#caching);
    sink.setHeader('X-Content-Type-Options', 'nosniff');
    sink.setHeader('Content-Security-Policy', POLICY);
    sink.start(200, contentType);
    return true;
  }

  take(chunk: Buffer): Promise<void> | undefined {
    const { sink } = this.#exchange;
    return sink.write(chunk) ? undefined : new Promise((resolve) => sink.onDrain(resolve));
  }
}
