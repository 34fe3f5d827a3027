/** A failure that does not end its command. */
import type { CommandContext } from './context.ts';
import { type Bilingual, both } from './language.ts';
import { describeFailure } from './report.ts';

/**
 * Says what went wrong and what to do about it.
 *
 * @param remedy where the command knows better what to do than the failure does
 */
export async function noteFailure(context: CommandContext, failure: unknown, remedy?: Bilingual): Promise<void> {
  const { url } = await context.target();
  const { message, code, hint } = await describeFailure(failure, { language: context.language, url });
  context.note(`${message} (${code})`);
  const next = remedy === undefined ? hint : context.say(remedy);
  if (next !== undefined) context.note(context.say(both(`  try: ${next}`, `  可尝试：${next}`)));
}
