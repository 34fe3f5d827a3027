/** Unguessable texts (W42). */
import { randomBytes, randomInt } from 'node:crypto';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Letters and digits, each equally likely; 32 of them carry 190 bits. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 is the largest multiple of 62 in a byte.
      if (byte < 248 && text.length < length) text += base62[byte % 62];
    }
  }
  return text;
}

/** 43 characters base64url carrying 256 bits. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url');
}

const base36 = '0123456789abcdefghijklmnopqrstuvwxyz';

/** Digits and lower-case letters, for people to copy from a mail. */
export function randomCode(length: number): string {
  return Array.from({ length }, () => base36[randomInt(base36.length)]).join('');
}

/** Consonants alone: they make no words, and none is taken for a digit (RFC 8628, 6.1). */
const consonants = 'BCDFGHJKLMNPQRSTVWXZ';

/** Letters for people to read from one screen and type at another; 8 of them carry 34 bits. */
export function randomLetters(length: number): string {
  return Array.from({ length }, () => consonants[randomInt(consonants.length)]).join('');
}
