/** What new redemption codes may be. */

/** Of one call (D22). */
export const mostCodes = 10_000;
/** In characters. */
export const longestCodeName = 20;
/** A code that somebody thought of. */
export const chosenCode = /^[0-9A-Za-z_-]{4,32}$/;
