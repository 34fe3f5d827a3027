/** Where conversations are served, gathered for the other nodes, which get their next turns. */
import type { AffinityNews } from './affinity.ts';

/** How long news are gathered: conversations take turns by the second. */
const gatheredMs = 250;
/** Of more conversations in one moment the others are not told: each then finds a channel for itself. */
const toldAtMost = 1000;

/** News as the text that travels between nodes. */
export function formatAffinityNews(news: readonly AffinityNews[]): string {
  return JSON.stringify(
    news.map(({ hash, target, forMs, moves }) => [hash, target.channelId, target.keyHash, forMs, moves]),
  );
}

/** Reads news that another node told; what is none is passed over. */
export function parseAffinityNews(text: string): AffinityNews[] {
  try {
    const entries: unknown = JSON.parse(text);
    return Array.isArray(entries) ? entries.flatMap(readNews) : [];
  } catch {
    return [];
  }
}

function readNews(entry: unknown): AffinityNews[] {
  if (!Array.isArray(entry)) return [];
  const [hash, channelId, keyHash, forMs, moves]: unknown[] = entry;
  if (typeof hash !== 'string' || typeof keyHash !== 'string') return [];
  if (typeof channelId !== 'number' || typeof forMs !== 'number' || !(forMs >= 0)) return [];
  if (typeof moves !== 'number' || !(moves >= 0)) return [];
  return [{ hash, target: { channelId, keyHash }, forMs, moves }];
}

export class GatheredAffinity {
  readonly #tell: (news: readonly AffinityNews[]) => void;
  #untold: AffinityNews[] = [];

  /** @param tell a few times a second while conversations find their channels; must not throw */
  constructor(tell: (news: readonly AffinityNews[]) => void) {
    this.#tell = tell;
  }

  note(news: AffinityNews): void {
    if (this.#untold.length >= toldAtMost) return;
    if (this.#untold.length === 0) setTimeout(() => this.#flush(), gatheredMs).unref();
    this.#untold.push(news);
  }

  #flush(): void {
    const news = this.#untold;
    this.#untold = [];
    this.#tell(news);
  }
}
