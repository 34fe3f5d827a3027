/** Moments by the clock of the server, by whose midnight check-ins and budgets begin anew wherever they are looked at (console.md 1.9). */
import { isDate } from './format.ts';

/** A zone that the browser does not know is read as UTC. */
export function knownZone(zone: string | undefined): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone || 'UTC' }).resolvedOptions().timeZone;
  } catch {
    return 'UTC';
  }
}

/** `2026-12-01 00:00:00`, and the zone by which it is told. */
export function momentIn(
  siteZone: string | undefined,
  seconds: number,
): { readonly time: string; readonly zone: string } {
  const zone = knownZone(siteZone);
  if (!isDate(seconds)) return { time: String(seconds), zone };
  // Swedish dates are written as everywhere in the console.
  const format = new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  return { time: format.format(seconds * 1000), zone };
}
