/** Headers of every answer outside the relay (W32); documents of the console have a policy of their own. */
export const securityHeaders: Readonly<Record<string, string>> = {
  // Data is no page: what opens it as one may load nothing.
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  'X-Frame-Options': 'SAMEORIGIN',
};
