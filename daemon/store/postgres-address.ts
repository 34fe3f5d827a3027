/** The address of a PostgreSQL server as the driver is given it. */

const weakerWords = /([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/;

/**
 * The driver checks certificate and name of the server for each of these words, warns at every start that a later
 * version will not, and is told the word for what it does. `uselibpqcompat=true` asks for libpq's meaning instead.
 */
export function driverAddress(url: string): string {
  return /[?&]uselibpqcompat=true(&|$)/.test(url) ? url : url.replace(weakerWords, '$1verify-full');
}
