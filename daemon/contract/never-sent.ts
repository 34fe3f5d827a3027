/** Calls that cannot have had an effect. */

/** What Node and undici call a connection that was never made. */
const unmade = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** True for a failed call whose connection was never made; a browser does not tell, and every call counts as sent. */
export function wasNeverSent(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if ('code' in at && typeof at.code === 'string' && unmade.has(at.code)) return true;
  }
  return false;
}
