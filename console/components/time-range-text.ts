/** A span of time as text in an address: `24h`, `7d`, `today`, or `1763692325-1763778725` with either end left out. */

export interface SecondsRange {
  readonly from?: number;
  readonly to?: number;
}

export const relativeRanges = ['1h', '24h', 'today', '7d', '30d'] as const;

const lengths: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400 };

/** Both ends in unix seconds; nothing for an empty or unreadable text. A relative one ends now, so it has no end. */
export function rangeToSeconds(text: string, now: Date = new Date()): SecondsRange {
  if (text === 'today') {
    return { from: Math.floor(new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime() / 1000) };
  }
  const relative = /^(\d{1,4})([mhd])$/.exec(text);
  if (relative) {
    const [, count = '', unit = ''] = relative;
    return { from: Math.floor(now.getTime() / 1000) - Number(count) * (lengths[unit] ?? 0) };
  }
  const absolute = /^(\d{0,11})-(\d{0,11})$/.exec(text);
  if (!absolute) return {};
  const [, from = '', to = ''] = absolute;
  return { ...(from ? { from: Number(from) } : {}), ...(to ? { to: Number(to) } : {}) };
}

/** The text of an absolute range; empty without ends. */
export function rangeText({ from, to }: SecondsRange): string {
  return from === undefined && to === undefined ? '' : `${from ?? ''}-${to ?? ''}`;
}

export function isRelativeRange(text: string): boolean {
  return text === 'today' || /^\d{1,4}[mhd]$/.test(text);
}
