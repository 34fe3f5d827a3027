/** Work that goes on in the server whether somebody waits for it or not (cli.md 1.4, `--wait`). */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Flags } from './command.ts';
import type { CommandContext } from './context.ts';
import { CliError } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import { textOf } from './flags.ts';
import { parseDuration, timerMs } from './input/time.ts';
import { both } from './language.ts';

export interface ServerWork<T> {
  /** Asks for it; resolves when it is done. Without a time, as long as any answer may take. */
  ask(options: { timeoutMs?: number }): Promise<T>;
  /** How much of the total is done. */
  done(): Promise<number>;
  readonly total: number;
}

const firstPauseMs = 1000;
const longestPauseMs = 5000;

/** The answer of the work: with `--wait` within `--timeout`, told how far it is. Throws exit 8 while it goes on. */
export async function answerOf<T>(context: CommandContext, flags: Flags, work: ServerWork<T>): Promise<T> {
  const isWaiting = flags.wait === true;
  const time = isWaiting ? (textOf(flags.timeout) ?? '10m') : undefined;
  const over = new AbortController();
  const answer = work.ask(time === undefined ? {} : { timeoutMs: timerMs(parseDuration(time, '--timeout')) });
  const telling = isWaiting ? tell(context, work, AbortSignal.any([over.signal, context.signal])) : undefined;
  try {
    return await answer;
  } catch (error) {
    const { ApiError } = await import('../daemon/contract/api-error.ts');
    if (!(error instanceof ApiError) || error.code !== 'timeout') throw error;
    const text = both('the server is still at work', '服务器仍在处理');
    const hint = both('--wait waits for it, as long as --timeout says', '--wait 会等待完成，时长由 --timeout 决定');
    throw new CliError('timeout', exitCodes.waitedTooLong, text, isWaiting ? {} : { hint });
  } finally {
    over.abort();
    await telling;
  }
}

/** Says how far it is until the signal. */
async function tell<T>(context: CommandContext, { done, total }: ServerWork<T>, signal: AbortSignal): Promise<void> {
  const progress = await context.startProgress('items');
  progress.at(0, total);
  try {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 1.5)) {
      await sleep(pauseMs, undefined, { signal });
      progress.at(await done(), total);
    }
  } catch {
    // It is over, or cannot be looked at just now, which is no reason to give the work up.
  } finally {
    context.endProgress();
  }
}
