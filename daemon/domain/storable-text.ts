/**
 * Texts that every engine stores as they are: without NUL, which PostgreSQL refuses, and without halves of characters, which
 * JSON can write alone and UTF-8 cannot: a database and the hash of a password take the same sign for each of them.
 */

const UNSTORABLE = /\0|\p{Surrogate}/u;

export function isStorable(text: string): boolean {
  return !UNSTORABLE.test(text);
}

/** The text without what cannot be stored. */
export function storable(text: string): string {
  return isStorable(text) ? text : text.replaceAll(new RegExp(UNSTORABLE, 'gu'), '');
}
