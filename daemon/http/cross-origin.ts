/** What pages of every origin may see and send where no cookie can be asked for (relay.md 17.2). */

/** Answer headers that a page may read. */
export const exposedHeaders = [
  'X-Request-Id, Request-Id, Retry-After, X-Should-Retry, Tollgate-Dropped-Fields',
  'X-RateLimit-Limit-Requests, X-RateLimit-Remaining-Requests, X-RateLimit-Reset-Requests',
  'X-RateLimit-Limit-Tokens, X-RateLimit-Remaining-Tokens, X-RateLimit-Reset-Tokens',
].join(', ');
