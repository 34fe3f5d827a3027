/** Where to go after signing in (console.md 4.3, rule 9). */

const maxLength = 2048;

/** The address if it is one of this site, else undefined: `//host` and `/\host` would leave it. */
export function safeReturnTo(address: string | null | undefined): string | undefined {
  if (!address?.startsWith('/') || address.length > maxLength) return undefined;
  if (address.startsWith('//') || address.includes('\\')) return undefined;
  try {
    const url = new URL(address, window.location.origin);
    return url.origin === window.location.origin ? address : undefined;
  } catch {
    return undefined;
  }
}

/** The sign-in page that leads back to where the caller is. */
export function loginAddress(isExpired: boolean): string {
  const { pathname, search, hash } = window.location;
  const returnTo = `returnTo=${encodeURIComponent(`${pathname}${search}${hash}`)}`;
  return `/login?${isExpired ? 'expired=true&' : ''}${returnTo}`;
}
