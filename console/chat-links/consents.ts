/** Who was handed which token before: asked once for each of them (console.md 6.19). */
import * as z from 'zod/mini';
import { readJson, writeJson } from '../session/storage.ts';

const storageKey = 'chat-consents';
const most = 200;
const Consents = z.array(z.string());

const entryOf = (userId: number, receiver: string, tokenId: number): string => `${userId} ${receiver} ${tokenId}`;

function consents(): readonly string[] {
  const parsed = z.safeParse(Consents, readJson(storageKey));
  return parsed.success ? parsed.data : [];
}

export function hasConsented(userId: number, receiver: string, tokenId: number): boolean {
  return consents().includes(entryOf(userId, receiver, tokenId));
}

export function rememberConsent(userId: number, receiver: string, tokenId: number): void {
  writeJson(storageKey, [...new Set([...consents(), entryOf(userId, receiver, tokenId)])].slice(-most));
}
