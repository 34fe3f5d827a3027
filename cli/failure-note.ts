/** A failure that does not end its command. */
import type { CommandContext } from './context.ts';
import { both } from './language.ts';
import { describeFailure } from './report.ts';

/** Says what went wrong and what to do about it. */
export async function noteFailure(context: CommandContext, failure: unknown): Promise<void> {
  const { url } = await context.target();
  const { message, code, hint } = await describeFailure(failure, { language: context.language, url });
  context.note(`${message} (${code})`);
  if (hint !== undefined) context.note(context.say(both(`  try: ${hint}`, `  可尝试：${hint}`)));
}
