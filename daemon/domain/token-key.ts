/** The key of a relay token: how it is made, shown and compared. */
import { randomBase62 } from './random-text.ts';

/** Characters of a key, without `sk-`. */
export const tokenKeyLength = 48;

/** A new random key: 48 letters and digits, about 285 bits. */
export function newTokenKey(): string {
  return randomBase62(tokenKeyLength);
}

/** First and last four characters, which the row keeps so that a hidden key can be recognised. */
export function tokenKeyHint(key: string): string {
  return key.slice(0, 4) + key.slice(-4);
}

/** A hidden key as its owner sees it. */
export function maskedTokenKey(hint: string): string {
  return `${hint.slice(0, 4)}****${hint.slice(4)}`;
}

/** The key as callers paste it, without its leading `sk-`. */
export function bareTokenKey(text: string): string {
  const trimmed = text.trim();
  return trimmed.startsWith('sk-') ? trimmed.slice(3) : trimmed;
}

/** What a sealed key is bound to. */
export function tokenSealContext(keyHash: string): { table: string; column: string; row: string } {
  // The row's id is not known before it is inserted; the hash names the row as exactly.
  return { table: 'tokens', column: 'key_sealed', row: keyHash };
}
