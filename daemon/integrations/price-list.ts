/** Fetches lists of prices that others publish, through the egress guard. */
import type { AddressGuard } from '../upstream/address-guard.ts';
import { guardedFetch } from './guarded-fetch.ts';

/** Public lists have a few megabytes. */
const largestList = 16 * 1024 * 1024;
const timeoutMs = 30_000;

/** The text at an address. Rejects when the guard refuses, nobody answers well in time, or the list is too large. */
export function priceListAt(guard: AddressGuard): (url: string) => Promise<string> {
  const fetch = guardedFetch(guard, { timeoutMs, largestAnswer: largestList });
  return async (url) => {
    const { status, body } = await fetch({ url, headers: { accept: 'application/json' } });
    if (status < 200 || status > 299) throw new Error(`answered ${status}`);
    return body;
  };
}
