/** Times that are kept as texts: in files, in profiles, and where credentials are told of. */
import type { CommandContext } from './context.ts';

/** A time that was written down as RFC 3339, as cells show times; nothing for none. */
export function writtenTime(context: CommandContext, text: string | null | undefined): string | number {
  const milliseconds = Date.parse(text ?? '');
  return Number.isNaN(milliseconds) ? '' : context.timeText(Math.floor(milliseconds / 1000));
}
