/** How long names and passwords of accounts may be (management-api.md 5.2), in characters where nothing else is said. */
export const longestUsername = 20;
export const longestDisplayName = 20;
export const shortestPassword = 8;
/** In UTF-8: nobody buys hashing time with a longer one (W47). */
export const mostPasswordBytes = 72;
