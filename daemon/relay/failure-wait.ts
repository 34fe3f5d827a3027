/**
 * How long an upstream asks to be left alone, from the headers in which vendors say so (relay.md 4.3 rule 9, 11.7).
 */

const shortestMs = 1000;
/** No pause is longer, whatever is asked for. */
export const longestMs = 300_000;
/** Numbers above this are moments and not durations: it is 1970 plus 30 years. */
const firstMoment = 946_684_800;

type Headers = Readonly<Record<string, string | undefined>>;

/** Milliseconds, clamped to 1..300 s; undefined when the headers say nothing. */
export function readWaitMs(headers: Headers, nowMs: number): number | undefined {
  return clamped(readRetryAfter(headers, nowMs) ?? readResets(headers, nowMs));
}

/** The same without the ends of limits, which vendors tell with every answer: an overload ends before they do. */
export function readRetryAfterMs(headers: Headers, nowMs: number): number | undefined {
  return clamped(readRetryAfter(headers, nowMs));
}

function clamped(wait: number | undefined): number | undefined {
  return wait === undefined ? undefined : Math.min(longestMs, Math.max(shortestMs, Math.ceil(wait)));
}

function readRetryAfter(headers: Headers, nowMs: number): number | undefined {
  const exact = headers['retry-after-ms'];
  if (exact !== undefined && /^\d+(\.\d+)?$/.test(exact)) return Number(exact);
  const value = headers['retry-after'];
  return value === undefined ? undefined : readMoment(value.trim(), nowMs);
}

/** Several limits are reported side by side: those that are used up count, else the one that takes longest. */
function readResets(headers: Headers, nowMs: number): number | undefined {
  const waits: { ms: number; isUsedUp: boolean }[] = [];
  for (const [name, value] of Object.entries(headers)) {
    const kind = /^(?:x-|anthropic-)?ratelimit-(?:([\w-]+)-)?reset(?:-([\w-]+))?$/.exec(name);
    if (kind === null || value === undefined) continue;
    const ms = readMoment(value.trim(), nowMs);
    if (ms === undefined) continue;
    const left = headers[name.replace('reset', 'remaining')];
    waits.push({ ms, isUsedUp: left !== undefined && Number(left) === 0 });
  }
  const usedUp = waits.filter((wait) => wait.isUsedUp);
  const deciding = usedUp.length > 0 ? usedUp : waits;
  return deciding.length === 0 ? undefined : Math.max(...deciding.map((wait) => wait.ms));
}

/** Seconds, a moment in seconds or milliseconds, a duration such as `1m30.5s`, or a date. */
function readMoment(value: string, nowMs: number): number | undefined {
  if (/^\d+(\.\d+)?$/.test(value)) {
    const number = Number(value);
    if (number > firstMoment * 1000) return number - nowMs;
    return number > firstMoment ? number * 1000 - nowMs : number * 1000;
  }
  const duration = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/.exec(value);
  if (duration !== null && value !== '') {
    const [, days = 0, hours = 0, minutes = 0, seconds = 0, milliseconds = 0] = duration.map((part) =>
      Number(part ?? 0),
    );
    return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 + milliseconds;
  }
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : date - nowMs;
}
