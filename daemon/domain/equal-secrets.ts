/** Compares two secrets, or their hashes, in a time that says nothing about where they differ. */
import { timingSafeEqual } from 'node:crypto';

export function equalSecrets(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
