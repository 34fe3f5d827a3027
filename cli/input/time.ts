/**
 * Times as people write them (cli.md 1.3): `now`, `today`, `yesterday`, `90s 15m 2h 3d 2w`, dates, RFC 3339, `@unix`.
 */
import { usageError } from '../errors.ts';
import { both } from '../language.ts';

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

export interface TimeContext {
  /** Unix seconds. */
  now: number;
  /** IANA zone for times without an offset; undefined: the machine's. */
  zone: string | undefined;
  /** Where a bare duration points. */
  direction: 'past' | 'future';
  field: string;
}

const dayMs = 86_400_000;

/** Whether the machine knows a zone of this name. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Offset of a zone at an instant, in seconds east of UTC. */
function offsetSeconds(zone: string, atMs: number): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(atMs);
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((each) => each.type === type)?.value ?? 0);
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return Math.round((local - Math.floor(atMs / 1000) * 1000) / 1000);
}

/** IANA name. */
export function machineZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/**
 * Unix seconds of a wall-clock time in a zone. Of one that a clock change repeats the first; one that it skips is read
 * with the offset before it, so that a day whose midnight is skipped begins with its first second.
 */
function wallClock(utcMs: number, zone: string): number {
  const seconds = Math.floor(utcMs / 1000);
  const before = seconds - offsetSeconds(zone, utcMs - dayMs);
  const after = seconds - offsetSeconds(zone, utcMs + dayMs);
  return [before, after].find((at) => at + offsetSeconds(zone, at * 1000) === seconds) ?? before;
}

function midnight(now: number, zone: string, daysBack: number): number {
  const local = new Date((now + offsetSeconds(zone, now * 1000)) * 1000);
  return wallClock(Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate() - daysBack), zone);
}

/** Unix seconds. Throws exit 3, also for times that no calendar has and those after the year 9999. */
export function parseTime(text: string, context: TimeContext): number {
  const seconds = secondsOf(text.trim(), context);
  if (seconds !== undefined && seconds >= firstSecond && seconds <= lastSecond) return seconds;
  throw usageError(
    both(
      `${text} is no time; write now, today, 2h, 2026-11-01 or 2026-11-01T08:00Z`,
      `${text} 不是时间；可写 now、today、2h、2026-11-01 或 2026-11-01T08:00Z`,
    ),
    { field: context.field },
  );
}

/** From the year 1 to 9999: what dates can be written of. */
const firstSecond = -62_135_596_800;
const lastSecond = 253_402_300_799;

function secondsOf(value: string, context: TimeContext): number | undefined {
  const zone = context.zone ?? machineZone();
  if (value === 'now') return context.now;
  if (value === 'today') return midnight(context.now, zone, 0);
  if (value === 'yesterday') return midnight(context.now, zone, 1);
  if (/^@\d+$/.test(value)) return Number(value.slice(1));
  const duration = /^([+-]?)(\d+)([smhdw])$/.exec(value);
  if (duration) {
    const seconds = Number(duration[2]) * (unitSeconds[duration[3] ?? 's'] ?? 1);
    const future = duration[1] === '+' || (duration[1] === '' && context.direction === 'future');
    return future ? context.now + seconds : context.now - seconds;
  }
  const [, day = '', minute = '00:00', second = '00', offset] =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/i.exec(value) ?? [];
  const wall = `${day}T${minute}:${second}.000Z`;
  const utcMs = Date.parse(wall);
  // The thirtieth of February would be read as the second of March.
  if (!Number.isFinite(utcMs) || new Date(utcMs).toISOString() !== wall) return undefined;
  return offset === undefined ? wallClock(utcMs, zone) : utcMs / 1000 - secondsEast(offset);
}

/** Of `Z`, `+08:00` or `-0530`; not a number where no clock is so far off. */
function secondsEast(offset: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(offset) ?? [];
  if (sign === undefined) return 0;
  if (Number(hours) > 23 || Number(minutes) > 59) return Number.NaN;
  return Number(`${sign}1`) * (Number(hours) * 3600 + Number(minutes) * 60);
}

/** A length of time in seconds: `90s`, `15m`. Throws exit 3. */
export function parseDuration(text: string, field: string): number {
  const match = /^(\d+)([smhdw])$/.exec(text.trim());
  if (!match)
    throw usageError(both(`${text} is no duration; write 90s, 15m or 2h`, `${text} 不是时长；可写 90s、15m 或 2h`), {
      field,
    });
  return Number(match[1]) * (unitSeconds[match[2] ?? 's'] ?? 1);
}

/** Seconds as a timer counts them: it takes 24 days at most, and ends at once where it is given more. */
export function timerMs(seconds: number): number {
  return Math.min(seconds * 1000, 2 ** 31 - 1);
}

/** Unix seconds as RFC 3339 in UTC, as files keep them. */
export function dateText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}
