/** Commands that are cut off by a signal or by their time: what is known of what they sent, and what to do then. */
import type { CommandContext } from './context.ts';
import { CliError, ExportCut } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import type { SentCall } from './fetch.ts';
import { type Bilingual, both } from './language.ts';
import { type LeftOpen, lostBetween } from './unanswered.ts';
import { inBrackets, reasonOf } from './unreached.ts';

/** A call that broke off, as the typed client and calls by hand name it. */
const openCodes: ReadonlySet<unknown> = new Set(['network_error', 'timeout', 'not_reached']);

/**
 * What is known when a signal cuts a command off: that is worth a word where a call may have taken effect, or where part
 * of a file has come. @param error what the command ended with
 */
export function interrupted(context: CommandContext, error: unknown): CliError | 'in peace' {
  const code = context.signal.reason === 'SIGTERM' ? exitCodes.terminated : exitCodes.interrupted;
  context.endWith(code);
  const call = context.unanswered.first;
  if (call === undefined) {
    if (!(error instanceof ExportCut)) return 'in peace';
    return new CliError('interrupted', code, error.text, hintOf(error));
  }
  return new CliError(
    'interrupted',
    code,
    both('the call was sent; whether it took effect is not known', '请求已发出，是否生效未知'),
    { hint: againHint(context, call) },
  );
}

function hintOf({ hint }: ExportCut): { hint?: Bilingual } {
  return hint === undefined ? {} : { hint };
}

/** What is known when the time of `--timeout` was over. @param error what the command ended with, if with one */
export function outOfTime(context: CommandContext, error?: unknown): CliError {
  const time = context.flags.timeout ?? '';
  if (error instanceof ExportCut) {
    const text = both(`not done within ${time}`, `${time} 内未完成`);
    return new CliError('timeout', exitCodes.waitedTooLong, text, hintOf(error));
  }
  const call = context.unanswered.first;
  if (call === undefined && context.repetition.waitsForRoom) {
    const text = both(`the server took no more calls within ${time}`, `服务器在 ${time} 内不再接受调用`);
    return new CliError('too_many_requests', exitCodes.rateLimited, text);
  }
  if (call === undefined) {
    const text = both(`the server did not answer within ${time}`, `服务器未在 ${time} 内返回结果`);
    return new CliError('timeout', exitCodes.waitedTooLong, text);
  }
  const text = both(
    `not done within ${time}; the call was sent, and the work may go on`,
    `${time} 内未完成；请求已发出，任务可能仍在进行`,
  );
  return new CliError('timeout', exitCodes.waitedTooLong, text, { hint: againHint(context, call) });
}

/** A call that was sent and broke off: nobody here knows what came of it. Exit 10. */
class BrokenOff extends CliError {}

/**
 * A failure after which nobody knows what a call did that was sent: the connection broke, no answer came in time, or
 * something before the server answered in its place. Any other is returned as it is.
 *
 * @param left what the work left open that failed
 */
export function leftOpen(context: CommandContext, error: unknown, left: LeftOpen = context.unanswered): unknown {
  const call = left.first;
  if (call === undefined || error instanceof BrokenOff || !(error instanceof Error && 'code' in error)) return error;
  const isLost = error.code === 'invalid_answer' && 'status' in error && lostBetween.has(error.status);
  if (!isLost && !openCodes.has(error.code)) return error;
  // Work that is waited for goes on beside its call, which has no answer yet.
  if (error instanceof CliError && error.exitCode === exitCodes.waitedTooLong) return error;
  const { en, zh } = inBrackets(isLost ? `HTTP ${error.status}` : reasonOf(error.cause));
  const text = both(
    `the call was sent and broke off${en}; whether it took effect is not known`,
    `请求已发出，但连接中断${zh}；是否生效未知`,
  );
  return new BrokenOff(String(error.code), exitCodes.unavailable, text, {
    hint: againHint(context, call),
    cause: error,
  });
}

/** What to do where some of several were left open, in place of what the failure of all would say. */
export function againAfter(failures: readonly unknown[]): { hint?: Bilingual } {
  const open = failures.find((failure) => failure instanceof BrokenOff);
  return open?.hint === undefined ? {} : { hint: open.hint };
}

/** How the command is run again without taking effect twice; undefined where no key makes that so. */
export function keyedAgain({ repetition: { isKeyed, key } }: CommandContext): Bilingual | undefined {
  return isKeyed ? againWith(key) : undefined;
}

function againWith(key: string): Bilingual {
  return both(`run it again with --idempotency-key ${key}`, `请加上 --idempotency-key ${key} 重新运行`);
}

/** What to do after a call whose outcome is not known. */
function againHint({ repetition: { key } }: CommandContext, { idempotencyKey }: SentCall): Bilingual {
  return idempotencyKey !== undefined
    ? againWith(key)
    : both('look at the server before you run it again', '重新运行前请先查看服务器上的状态');
}

/** A file or disk at fault after something was made: the same command then prints what it made, and makes no more. */
export function unwritten(context: CommandContext, error: unknown): unknown {
  const isLocal = error instanceof CliError && error.exitCode === exitCodes.local;
  if (!isLocal || !context.repetition.isKeyed) return error;
  const { code, text, exitCode, field } = error;
  return new CliError(code, exitCode, text, {
    ...(field === undefined ? {} : { field }),
    cause: error,
    hint: printedAgain(context),
  });
}

/** The same of standard output, whose failure the guard of the streams has told by then. */
export function watchUnwritten(context: CommandContext): void {
  context.host.stdout.on('error', (error) => {
    if (!context.repetition.isKeyed || ('code' in error && error.code === 'EPIPE')) return;
    context.tell(printedAgain(context));
  });
}

function printedAgain({ repetition: { key } }: CommandContext): Bilingual {
  return both(
    `what was made is kept: make room, and run it again with --idempotency-key ${key}; nothing is made twice`,
    `已创建的内容仍在：腾出空间后，请加上 --idempotency-key ${key} 重新运行，不会重复创建`,
  );
}
