/** The time that `--since` and `--until` name, as the server asks for it. */
import type { CommandContext } from './context.ts';
import { textOf } from './flags.ts';

type TimeFlags = Readonly<Record<string, unknown>>;

/** Unix seconds that the flag names; undefined when it was not given. */
export async function momentOf(
  context: CommandContext,
  flags: TimeFlags,
  flag: 'since' | 'until',
): Promise<number | undefined> {
  const text = textOf(flags[flag]);
  return text === undefined ? undefined : context.instant(text, 'past', `--${flag}`);
}

/** Open at an end that no flag names. */
export async function spanOf(context: CommandContext, flags: TimeFlags) {
  return {
    start_timestamp: await momentOf(context, flags, 'since'),
    end_timestamp: await momentOf(context, flags, 'until'),
  };
}

const daySeconds = 86_400;

/** From a day before its end, as far as no flag says otherwise; open at an end that no flag names. */
export async function lastDayOf(context: CommandContext, flags: TimeFlags) {
  const { start_timestamp, end_timestamp } = await spanOf(context, flags);
  const end = end_timestamp ?? Math.floor(Date.now() / 1000);
  return { start_timestamp: start_timestamp ?? end - daySeconds, end_timestamp };
}

/** The same until now where no flag names an end. */
export async function closedSpanOf(context: CommandContext, flags: TimeFlags) {
  const { start_timestamp, end_timestamp } = await lastDayOf(context, flags);
  return { start_timestamp, end_timestamp: end_timestamp ?? Math.floor(Date.now() / 1000) };
}
