/** Counters shared by all nodes through Redis; while it cannot answer, those of this process count. */
import type { Counters, Draw, Draws, KeyedWindow, Slot, Window } from './counters.ts';
import type { MemoryCounters } from './memory-counters.ts';
import { countedSeconds } from './minute-sum.ts';
import type { RedisLink } from './redis.ts';
import { wholeMs } from './whole-ms.ts';

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

/**
 * Running things in a sorted set by the time they forget themselves, which lives as long as the last of them. Answers 1
 * when the member was added.
 */
const enterScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[3])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 1`;

/** Puts off when a running thing forgets itself. */
const stayScript = `
local time = redis.call('TIME')
redis.call('ZADD', KEYS[1], time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[1]), ARGV[2])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return 1`;

/**
 * What was drawn, second by second, in hashes. KEYS: one a draw. ARGV: seconds that count, then limit, amount and what is
 * wished beside it of each. All are drawn or none is. Answers the second ('' when refused), then for each: allowed,
 * drawn, sum, milliseconds until the decisive second leaves.
 */
const drawScript = `
local time = redis.call('TIME')
local second, ms = tonumber(time[1]), math.floor(time[2] / 1000)
local span = tonumber(ARGV[1])
local sums, seconds, amounts, all = {}, {}, {}, true
for i, key in ipairs(KEYS) do
  local fields, sum = redis.call('HGETALL', key), 0
  seconds[i], amounts[i] = {}, {}
  for at = 1, #fields, 2 do
    local when, amount = tonumber(fields[at]), tonumber(fields[at + 1])
    if when <= second - span then
      redis.call('HDEL', key, fields[at])
    else
      sum = sum + amount
      table.insert(seconds[i], when)
      amounts[i][when] = amount
    end
  end
  sums[i] = sum
  if sum + tonumber(ARGV[3 * i]) > tonumber(ARGV[3 * i - 1]) then all = false end
end
local answer = {all and tostring(second) or ''}
for i, key in ipairs(KEYS) do
  local limit, amount = tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i])
  local allowed, drawn = sums[i] + amount <= limit, 0
  if all then
    drawn = math.min(amount + tonumber(ARGV[3 * i + 1]), limit - sums[i])
    redis.call('HINCRBY', key, second, drawn)
    redis.call('PEXPIRE', key, span * 1000)
    if not amounts[i][second] then table.insert(seconds[i], second) end
    amounts[i][second] = (amounts[i][second] or 0) + drawn
    sums[i] = sums[i] + drawn
  end
  local most, left, freed = sums[i] - 1, sums[i], second
  if not allowed then most = limit - amount end
  table.sort(seconds[i])
  for _, when in ipairs(seconds[i]) do
    left = left - amounts[i][when]
    if left <= most then
      freed = when
      break
    end
  end
  table.insert(answer, allowed and 1 or 0)
  table.insert(answer, drawn)
  table.insert(answer, sums[i])
  table.insert(answer, (freed + span - second) * 1000 - ms)
end
return answer`;

/** KEYS: one a correction. ARGV: seconds that count, the second drawn from, then the difference of each. */
const correctScript = `
local second = tonumber(redis.call('TIME')[1])
for i, key in ipairs(KEYS) do
  local difference, when = tonumber(ARGV[i + 2]), second
  if difference < 0 then
    when = tonumber(ARGV[2])
    difference = math.max(difference, -tonumber(redis.call('HGET', key, when) or 0))
  end
  if difference ~= 0 then
    redis.call('HINCRBY', key, when, difference)
    redis.call('PEXPIRE', key, tonumber(ARGV[1]) * 1000)
  end
end
return 1`;

/** Where a draw was taken in this process, not in Redis. */
const localPlace = 'local:';

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

  async draw(draws: readonly Draw[]): Promise<Draws> {
    const keys = draws.map(({ key }) => this.#link.key(key));
    const figures = draws.flatMap(({ limit, amount, more = 0 }) => [limit, amount, more]);
    const answer = await this.#link.attempt((redis) =>
      redis.eval(drawScript, keys.length, ...keys, countedSeconds, ...figures),
    );
    const drawn = drawsOf(answer?.value, draws);
    if (drawn !== undefined) return drawn;
    const own = this.#fallback.draw(draws);
    return own.place === '' ? own : { ...own, place: `${localPlace}${own.place}` };
  }

  async correct(
    place: string,
    differences: readonly { readonly key: string; readonly difference: number }[],
  ): Promise<void> {
    if (place === '') return;
    if (place.startsWith(localPlace)) {
      this.#fallback.correct(place.slice(localPlace.length), differences);
      return;
    }
    const keys = differences.map(({ key }) => this.#link.key(key));
    const figures = differences.map(({ difference }) => difference);
    await this.#link.attempt((redis) =>
      redis.eval(correctScript, keys.length, ...keys, countedSeconds, place, ...figures),
    );
  }

  async enter(key: string, limit: number, ttlMs: number): Promise<string | undefined> {
    const member = `-${this.#newMember()}`;
    const place = this.#link.key(key);
    const answer = await this.#link.take(
      (redis) => redis.eval(enterScript, 1, place, limit, wholeMs(ttlMs), member),
      (redis) => redis.zrem(place, member),
    );
    if (answer === undefined) return this.#fallback.enter(key, limit, ttlMs);
    return answer.value === 1 ? member : undefined;
  }

  async stay(key: string, member: string, ttlMs: number): Promise<void> {
    if (isLocal(member)) this.#fallback.stay(key, member, ttlMs);
    else await this.#link.attempt((redis) => redis.eval(stayScript, 1, this.#link.key(key), wholeMs(ttlMs), member));
  }

  async leave(key: string, member: string): Promise<void> {
    if (isLocal(member)) this.#fallback.leave(key, member);
    else await this.#link.clear((redis) => redis.zrem(this.#link.key(key), member));
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

/** The script's answer as draws; undefined when it is none. */
function drawsOf(answer: unknown, draws: readonly Draw[]): Draws | undefined {
  if (!Array.isArray(answer) || answer.length !== 1 + 4 * draws.length) return undefined;
  const slots = draws.map(({ limit }, at) => ({
    allowed: answer[4 * at + 1] === 1,
    drawn: Number(answer[4 * at + 2]),
    remaining: Math.max(0, limit - Number(answer[4 * at + 3])),
    resetMs: Number(answer[4 * at + 4]),
  }));
  return { slots, place: String(answer[0]) };
}
