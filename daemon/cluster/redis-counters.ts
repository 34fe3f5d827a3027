/** Counters shared by all nodes through Redis; while it cannot answer, those of this process count. */
import type { Counters, Slot, Window } from './counters.ts';
import type { MemoryCounters } from './memory-counters.ts';
import type { RedisLink } from './redis.ts';

/** Sliding log in a sorted set, by the clock of the Redis server. Answers {allowed, entries, ms to wait, member}. */
const slideScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
local entries = redis.call('ZCARD', KEYS[1])
if entries >= limit then
  local first = redis.call('ZRANGE', KEYS[1], math.max(0, entries - limit), math.max(0, entries - limit), 'WITHSCORES')
  local wait = window
  if first[2] then wait = math.max(1, first[2] + window - now) end
  return {0, entries, wait, ''}
end
local member = now .. '-' .. ARGV[3]
redis.call('ZADD', KEYS[1], now, member)
redis.call('PEXPIRE', KEYS[1], window)
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return {1, entries + 1, math.max(1, first[2] + window - now), member}`;

const enterScript = `
local count = tonumber(redis.call('GET', KEYS[1]) or '0')
if count >= tonumber(ARGV[1]) then return 0 end
redis.call('INCR', KEYS[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`;

const leaveScript = `
local count = tonumber(redis.call('GET', KEYS[1]) or '0')
if count <= 1 then redis.call('DEL', KEYS[1]) else redis.call('DECR', KEYS[1]) end
return 0`;

function isAnswer(value: unknown): value is [number, number, number, string] {
  return Array.isArray(value) && value.length === 4;
}

export interface RedisCountersDeps {
  readonly link: RedisLink;
  /** Takes over while Redis is away. */
  readonly fallback: MemoryCounters;
  /** A fresh unique text. */
  readonly newMember: () => string;
}

export class RedisCounters implements Counters {
  readonly #link: RedisLink;
  readonly #fallback: MemoryCounters;
  readonly #newMember: () => string;

  constructor(deps: RedisCountersDeps) {
    this.#link = deps.link;
    this.#fallback = deps.fallback;
    this.#newMember = deps.newMember;
  }

  async slide(key: string, window: Window): Promise<Slot> {
    const answer = await this.#link.attempt((redis) =>
      redis.eval(slideScript, 1, this.#link.key(key), window.limit, window.windowMs, this.#newMember()),
    );
    if (answer === undefined || !isAnswer(answer.value)) return this.#fallback.slide(key, window);
    const [allowed, entries, resetMs, member] = answer.value;
    return {
      allowed: allowed === 1,
      remaining: Math.max(0, window.limit - entries),
      resetMs: Math.ceil(resetMs),
      member,
    };
  }

  async giveBack(key: string, member: string): Promise<void> {
    // A member with a dash is one of Redis, a plain number one of this process.
    if (!member.includes('-')) return this.#fallback.giveBack(key, member);
    await this.#link.attempt((redis) => redis.zrem(this.#link.key(key), member));
  }

  async enter(key: string, limit: number, ttlMs: number): Promise<boolean> {
    const answer = await this.#link.attempt((redis) => redis.eval(enterScript, 1, this.#link.key(key), limit, ttlMs));
    return answer === undefined ? this.#fallback.enter(key, limit, ttlMs) : answer.value === 1;
  }

  async leave(key: string): Promise<void> {
    const answer = await this.#link.attempt((redis) => redis.eval(leaveScript, 1, this.#link.key(key)));
    if (answer === undefined) this.#fallback.leave(key);
  }

  async put(key: string, value: string, ttlMs: number): Promise<void> {
    const answer = await this.#link.attempt((redis) => redis.set(this.#link.key(key), value, 'PX', ttlMs));
    if (answer === undefined) this.#fallback.put(key, value, ttlMs);
  }

  async read(key: string): Promise<string | undefined> {
    const answer = await this.#link.attempt((redis) => redis.get(this.#link.key(key)));
    return answer?.value ?? this.#fallback.read(key);
  }

  async putIfAbsent(key: string, value: string, ttlMs: number): Promise<boolean> {
    const answer = await this.#link.attempt((redis) => redis.set(this.#link.key(key), value, 'PX', ttlMs, 'NX'));
    return answer === undefined ? this.#fallback.putIfAbsent(key, value, ttlMs) : answer.value === 'OK';
  }

  async take(key: string): Promise<string | undefined> {
    const answer = await this.#link.attempt((redis) => redis.getdel(this.#link.key(key)));
    return answer?.value ?? this.#fallback.take(key);
  }

  async remove(key: string): Promise<void> {
    this.#fallback.remove(key);
    await this.#link.attempt((redis) => redis.del(this.#link.key(key)));
  }
}
