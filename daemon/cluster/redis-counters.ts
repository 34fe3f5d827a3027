/** Counters shared by all nodes through Redis; while it cannot answer, those of this process count. */
import type { Counters, KeyedWindow, Slot, Window } from './counters.ts';
import type { MemoryCounters } from './memory-counters.ts';
import { type RedisLink, wholeMs } from './redis.ts';

/**
 * Sliding logs in sorted sets, by the clock of the Redis server. KEYS: one a window. ARGV: a unique text, then limit and
 * milliseconds of each window. All windows take the entry or none does. Answers the member ('' when refused), then for
 * each window: allowed, entries, milliseconds until the decisive entry leaves.
 */
const slideScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local counts, all = {}, true
for i, key in ipairs(KEYS) do
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now - tonumber(ARGV[2 * i + 1]))
  counts[i] = redis.call('ZCARD', key)
  if counts[i] >= tonumber(ARGV[2 * i]) then all = false end
end
local member = ''
if all then member = string.format('%.0f-%s', now, ARGV[1]) end
local answer = {member}
for i, key in ipairs(KEYS) do
  local limit, window = tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1])
  local allowed, decisive = 1, 0
  if all then
    redis.call('ZADD', key, now, member)
    redis.call('PEXPIRE', key, window)
    counts[i] = counts[i] + 1
  elseif counts[i] >= limit then
    allowed, decisive = 0, counts[i] - limit
  end
  local entry = redis.call('ZRANGE', key, decisive, decisive, 'WITHSCORES')
  local wait = window
  if entry[2] then wait = math.max(1, entry[2] + window - now) end
  table.insert(answer, allowed)
  table.insert(answer, counts[i])
  table.insert(answer, wait)
end
return answer`;

/** Running things in a sorted set by the time they forget themselves. Answers 1 when the member was added. */
const enterScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`;

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
    const [slot] = await this.slideAll([{ ...window, key }]);
    return slot ?? this.#fallback.slide(key, window);
  }

  async slideAll(windows: readonly KeyedWindow[]): Promise<readonly Slot[]> {
    const keys = windows.map(({ key }) => this.#link.key(key));
    const figures = windows.flatMap(({ limit, windowMs }) => [limit, wholeMs(windowMs)]);
    const answer = await this.#link.attempt((redis) =>
      redis.eval(slideScript, keys.length, ...keys, this.#newMember(), ...figures),
    );
    return slotsOf(answer?.value, windows) ?? this.#fallback.slideAll(windows);
  }

  async giveBack(key: string, member: string): Promise<void> {
    if (isLocal(member)) this.#fallback.giveBack(key, member);
    else await this.#link.attempt((redis) => redis.zrem(this.#link.key(key), member));
  }

  async enter(key: string, limit: number, ttlMs: number): Promise<string | undefined> {
    const member = `-${this.#newMember()}`;
    const answer = await this.#link.attempt((redis) =>
      redis.eval(enterScript, 1, this.#link.key(key), limit, wholeMs(ttlMs), member),
    );
    if (answer === undefined) return this.#fallback.enter(key, limit, ttlMs);
    return answer.value === 1 ? member : undefined;
  }

  async leave(key: string, member: string): Promise<void> {
    if (isLocal(member)) this.#fallback.leave(key, member);
    else await this.#link.attempt((redis) => redis.zrem(this.#link.key(key), member));
  }

  async put(key: string, value: string, ttlMs: number): Promise<void> {
    const answer = await this.#link.attempt((redis) => redis.set(this.#link.key(key), value, 'PX', wholeMs(ttlMs)));
    if (answer === undefined) this.#fallback.put(key, value, ttlMs);
    else this.#fallback.remove(key);
  }

  async read(key: string): Promise<string | undefined> {
    const answer = await this.#link.attempt((redis) => redis.get(this.#link.key(key)));
    return answer?.value ?? this.#fallback.read(key);
  }

  async putIfAbsent(key: string, value: string, ttlMs: number): Promise<boolean> {
    const answer = await this.#link.attempt((redis) =>
      redis.set(this.#link.key(key), value, 'PX', wholeMs(ttlMs), 'NX'),
    );
    return answer === undefined ? this.#fallback.putIfAbsent(key, value, ttlMs) : answer.value === 'OK';
  }

  async take(key: string): Promise<string | undefined> {
    const own = this.#fallback.take(key);
    const answer = await this.#link.attempt((redis) => redis.getdel(this.#link.key(key)));
    return answer?.value ?? own;
  }

  async remove(key: string): Promise<void> {
    this.#fallback.remove(key);
    await this.#link.attempt((redis) => redis.del(this.#link.key(key)));
  }
}

/** Members that Redis gave out hold a dash, those of this process are plain numbers. */
function isLocal(member: string): boolean {
  return !member.includes('-');
}

/** The script's answer as slots; undefined when it is none. */
function slotsOf(answer: unknown, windows: readonly KeyedWindow[]): Slot[] | undefined {
  if (!Array.isArray(answer) || answer.length !== 1 + 3 * windows.length) return undefined;
  const member = String(answer[0]);
  return windows.map(({ limit }, at) => ({
    allowed: answer[3 * at + 1] === 1,
    remaining: Math.max(0, limit - Number(answer[3 * at + 2])),
    resetMs: Math.ceil(Number(answer[3 * at + 3])),
    member,
  }));
}
