/** Two whole daemons on one PostgreSQL with one upstream behind them, for suites that ask what one knows of the other. */
import { startTestDaemon, type TestDaemon } from './daemon.ts';
import { testEngines } from './engines.ts';
import { type FakeUpstream, jsonAnswer, type Script, startFakeUpstream } from './fake-upstream.ts';
import type { RedisServer } from './servers.ts';

export interface DaemonPair {
  first: TestDaemon;
  second: TestDaemon;
  upstream: FakeUpstream;
  /** Stopped with the pair; undefined for daemons without. */
  redis: RedisServer | undefined;
  drop(): Promise<void>;
}

/** A chat completion for any model. */
export const answeredChat = jsonAnswer({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 100, completion_tokens: 100, total_tokens: 200 },
});

/** Starts the pair into a suite's world. @param parts.prefix of its keys in Redis */
export async function startPair(
  pair: DaemonPair,
  parts: { redis: RedisServer | undefined; prefix: string; script: Script },
): Promise<void> {
  const place = await testEngines.postgres.migrated();
  const config = { 'redis.url': parts.redis?.url ?? '', 'redis.key_prefix': `${parts.prefix}:` };
  pair.drop = place.drop;
  pair.redis = parts.redis;
  pair.upstream = await startFakeUpstream(parts.script);
  pair.first = await startTestDaemon({ databaseUrl: place.url, config });
  pair.second = await startTestDaemon({ databaseUrl: place.url, config });
  // Signing in on the second node issued a new access token and ended the first one.
  pair.first = { ...pair.first, root: pair.first.client(pair.second.accessToken) };
}

export async function stopPair({ first, second, upstream, redis, drop }: DaemonPair): Promise<void> {
  await first.stop();
  await second.stop();
  await upstream.close();
  await redis?.stop();
  await drop();
}
