/** Nodes of a cluster without a daemon around them: the parts of `daemon/cluster`, in memory or over a real Redis. */
import { randomUUID } from 'node:crypto';
import { RevisionBus } from '../../daemon/cluster/bus.ts';
import type { Counters } from '../../daemon/cluster/counters.ts';
import { type Leases, MemoryLeases, RedisLeases } from '../../daemon/cluster/leases.ts';
import { MemoryCounters } from '../../daemon/cluster/memory-counters.ts';
import { RedisLink } from '../../daemon/cluster/redis.ts';
import { RedisCounters } from '../../daemon/cluster/redis-counters.ts';

export interface ClusterNode {
  readonly counters: Counters;
  readonly leases: Leases;
  readonly bus: RevisionBus;
  /** Undefined on a node without Redis. */
  readonly link: RedisLink | undefined;
  /** What the bus and the link reported, in order. */
  readonly reports: string[];
  stop(): Promise<void>;
}

/** The `revisions` table as the bus sees it; every node of a world reads the same one. */
export class RevisionTable {
  readonly #revisions = new Map<string, number>();
  /** Set: reading rejects, as while the database is away. */
  failure: Error | undefined;
  reads = 0;

  bump(topic: string): number {
    const revision = (this.#revisions.get(topic) ?? 0) + 1;
    this.#revisions.set(topic, revision);
    return revision;
  }

  readonly read = async (): Promise<ReadonlyMap<string, number>> => {
    this.reads += 1;
    if (this.failure) throw this.failure;
    return new Map(this.#revisions);
  };
}

export interface NodeOptions {
  readonly table: RevisionTable;
  readonly pollMs?: number;
  /** Redis of the node; none when undefined. */
  readonly redisUrl?: string | undefined;
  /** Nodes of one world share it. */
  readonly prefix?: string;
  /** As of `RedisLink`. */
  readonly silenceMs?: number;
}

/** Starts a node. Its bus listens; its listeners are the test's. */
export async function startNode(options: NodeOptions): Promise<ClusterNode> {
  const reports: string[] = [];
  const memory = new MemoryCounters({ now: () => performance.now() });
  const memoryLeases = new MemoryLeases(() => performance.now());
  const link = options.redisUrl === undefined ? undefined : await connect(options.redisUrl, options, reports);
  const bus = new RevisionBus({
    readRevisions: options.table.read,
    transport: link?.transport(),
    report: ({ topic }) => reports.push(`bus ${topic}`),
    pollMs: options.pollMs ?? 60_000,
  });
  await bus.start();
  return {
    counters: link ? new RedisCounters({ link, fallback: memory, newMember: randomUUID }) : memory,
    leases: link ? new RedisLeases({ link, fallback: memoryLeases, newToken: randomUUID }) : memoryLeases,
    bus,
    link,
    reports,
    async stop() {
      await bus.stop();
      await link?.stop();
    },
  };
}

async function connect(url: string, options: NodeOptions, reports: string[]): Promise<RedisLink> {
  const { prefix = `test:${randomUUID()}:`, silenceMs } = options;
  const link = new RedisLink({
    url,
    prefix,
    ...(silenceMs === undefined ? {} : { silenceMs }),
    report: ({ state }) => reports.push(`redis ${state}`),
  });
  await link.start();
  return link;
}
