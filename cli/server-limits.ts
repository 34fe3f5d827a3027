/** What the command line does where the server takes no more calls for a while (cli.md 1.4). */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiError } from '../daemon/contract/client.ts';
import { parseDuration } from './input/time.ts';
import { type Bilingual, both } from './language.ts';

/** Longer waits are told. */
const silentSeconds = 2;

/** The command that waits. */
export interface WaitingCommand {
  readonly flags: { readonly timeout?: string };
  readonly signal: AbortSignal;
  say(text: Bilingual): string;
  note(text: string): void;
}

/** Waits as long as the server asks; throws what it said where that is longer than the command may take. */
export async function waitOut(context: WaitingCommand, limited: ApiError): Promise<void> {
  const seconds = Math.max(1, limited.retryAfter ?? 1);
  if (seconds > parseDuration(context.flags.timeout ?? '60s', '--timeout')) throw limited;
  if (seconds > silentSeconds) {
    context.note(context.say(both(`the server asks to wait ${seconds} s`, `服务器要求等待 ${seconds} 秒`)));
  }
  await sleep(seconds * 1000, undefined, { signal: context.signal });
}
