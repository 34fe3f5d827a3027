/**
 * Two daemons on one PostgreSQL: what one is told, the other honours within two seconds, with Redis, without one, and
 * while the one they had is away (REQ-17).
 * Runs once: it brings PostgreSQL with it, and Redis where it wants one.
 */
import { suite } from 'uvu';
import { answeredChat, type DaemonPair, startPair, stopPair } from '../support/daemon-pair.ts';
import { jsonAnswer } from '../support/fake-upstream.ts';
import { type RedisServer, startRedis } from '../support/servers.ts';
import { within } from '../support/until.ts';
import { type Change, changes, type PreparedChange, pausingPath } from './cluster-changes.ts';

/** REQ-17 allows two seconds; a little more, since what asks is a call through the whole daemon. */
const honouredWithinMs = 2500;

async function open(pair: DaemonPair, redis: RedisServer | undefined): Promise<void> {
  const paused = new Set<string>();
  const script = ({ url }: { url: string }) => {
    if (!url.startsWith(`/${pausingPath}`) || paused.has(url)) return answeredChat;
    paused.add(url);
    return jsonAnswer({ error: { message: 'slow down' } }, 429, { 'retry-after': '250' });
  };
  await startPair(pair, { redis, prefix: 'two-daemons', script });
}

async function honour({ name }: Change, change: PreparedChange): Promise<void> {
  try {
    await within(honouredWithinMs, change.isAsBefore);
    await change.act();
    await within(honouredWithinMs, change.isHonoured);
  } catch (cause) {
    throw new Error(`${name}: not honoured in time`, { cause });
  }
}

/** Changes of different topics at once, of one topic in turn: a change without a revision of its own stays unheard. */
function rounds(): Change[][] {
  const byTopic = new Map<string, Change[]>();
  for (const change of changes) byTopic.set(change.topic, [...(byTopic.get(change.topic) ?? []), change]);
  const longest = Math.max(...[...byTopic.values()].map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) => [...byTopic.values()].flatMap((ofTopic) => ofTopic[turn] ?? []));
}

for (const kind of ['with Redis', 'without Redis', 'whose Redis has stopped'] as const) {
  const cluster = suite<DaemonPair>(`two daemons ${kind}`);

  cluster.before(async (world) => {
    await open(world, kind === 'without Redis' ? undefined : await startRedis());
    if (kind === 'whose Redis has stopped') await world.redis?.crash();
  });
  cluster.after(stopPair);

  for (const round of rounds()) {
    cluster(`honour each other within two seconds: ${round.map(({ name }) => name).join('; ')}`, async (world) => {
      const { first, second, upstream } = world;
      // Prepared before anything acts, so that the revisions of one preparation do not carry another's change.
      const prepared: [Change, PreparedChange][] = [];
      for (const change of round)
        prepared.push([change, await change.prepare({ first, second, upstreamUrl: upstream.url })]);
      await Promise.all(prepared.map(([change, ready]) => honour(change, ready)));
    });
  }

  cluster.run();
}
