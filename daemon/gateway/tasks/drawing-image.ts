/**
 * Pictures under this site's own address (relay.md 8.7), so that nobody learns the service's and its links do not run
 * out. No key is asked for: whoever knows the id of a task may see its picture.
 */
import type { Drawings } from '../../domain/drawings.ts';
import type { FileTaker } from '../../upstream/media-download.ts';
import type { Exchange } from '../exchange.ts';

export interface DrawingImagesDeps {
  readonly drawings: Pick<Drawings, 'findAnybodys'>;
  readonly downloads: {
    /** Hands a file on; rejects where it cannot be had, is refused or too large. */
    stream(url: string, calledOff: AbortSignal, taker: FileTaker): Promise<void>;
  };
  readonly report: (error: unknown) => void;
}

const DEFAULT_TYPE = 'image/jpeg';
const DAY = 'public, max-age=86400';
/** A picture may be a document with scripts: it is none of ours. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** @param owner the id of the signed-in visitor; undefined for anybody else */
export async function serveImage(
  deps: DrawingImagesDeps,
  exchange: Exchange,
  asked: { readonly id: string; readonly owner: () => Promise<number | undefined> },
): Promise<void> {
  const { sink } = exchange;
  const calledOff = new AbortController();
  sink.onGone(() => calledOff.abort());
  try {
    const drawing = await deps.drawings.findAnybodys(asked.id);
    const isShown = drawing !== undefined && (!isGuessable(asked.id) || (await asked.owner()) === drawing.userId);
    if (!isShown || drawing.imageUrl === '') {
      refuse(exchange, 404, 'midjourney_task_not_found');
      return;
    }
    const caching = drawing.status === 'SUCCESS' ? DAY : 'no-store';
    await deps.downloads.stream(drawing.imageUrl, calledOff.signal, new Passage(exchange, caching));
    sink.end();
  } catch (error) {
    if (sink.gone) return;
    deps.report(error);
    if (sink.headersSent) sink.destroy();
    else refuse(exchange, 502, 'http_get_image_failed');
  }
}

/** Ids of current servers are milliseconds and three random digits. What is shorter, or only counts, can be tried out. */
function isGuessable(id: string): boolean {
  return id.length < 10 || (/^\d+$/.test(id) && id.length < 16);
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
    if (sink.write(chunk)) return undefined;
    return new Promise((resolve) => {
      sink.onDrain(resolve);
      sink.onGone(resolve);
    });
  }
}
