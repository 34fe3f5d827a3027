/** What nodes tell each other and may forget, carried by Redis or, without one, by the database. */
import { randomUUID } from 'node:crypto';
import type { Bus, BusTransport } from '../cluster/bus.ts';
import { Company } from '../cluster/company.ts';
import type { RedisLink } from '../cluster/redis.ts';
import { TableNews, toOthers } from '../cluster/table-news.ts';
import type { Database } from '../store/database.ts';

export interface News {
  /** Which channels to leave alone for a while. */
  readonly cooling: BusTransport;
  /** Where conversations are served. */
  readonly affinity: BusTransport;
  /** What channels are serving. */
  readonly load: BusTransport;
  /** What limited keys were used for; undefined where Redis counts for all. */
  readonly keyUses: BusTransport | undefined;
  stop(): Promise<void>;
}

export interface NewsNeeds {
  readonly redis: RedisLink | undefined;
  readonly database: Database;
  readonly bus: Bus;
  /** Unix seconds. */
  readonly nowSeconds: () => number;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonic: () => number;
  readonly report: (cause: unknown) => void;
}

const keptSeconds = 300;

export async function openNews(needs: NewsNeeds): Promise<News> {
  const { redis, database, bus, nowSeconds, monotonic, report } = needs;
  const sender = randomUUID();
  if (redis) {
    return {
      cooling: toOthers(redis.transport('cooling'), sender),
      affinity: toOthers(redis.transport('affinity'), sender),
      load: toOthers(redis.transport('load'), sender),
      keyUses: undefined,
      stop: async () => undefined,
    };
  }
  const { nodes, nodeMessages } = database.stores;
  const company = new Company({ heartbeats: () => nodes.heartbeats(), now: monotonic });
  const news = new TableNews({
    write: (messages, topic) =>
      database.transaction(async (stores) => {
        // The bump comes first: its row lock makes ids become visible in their order.
        const revision = await stores.revisions.bump(topic);
        const createdAt = nowSeconds();
        await stores.nodeMessages.insert(messages.map((message) => ({ ...message, sender, createdAt })));
        await stores.nodeMessages.deleteBehind({ sender, createdAt: createdAt - keptSeconds });
        return revision;
      }),
    readAfter: (id) => nodeMessages.after(id),
    latestId: () => nodeMessages.latest(),
    isAlone: () => company.isAlone(),
    bus,
    sender,
    report,
  });
  await news.start();
  return {
    cooling: news.transport('cooling'),
    affinity: news.transport('affinity'),
    load: news.transport('load'),
    keyUses: news.transport('key-uses'),
    stop: () => news.stop(),
  };
}
