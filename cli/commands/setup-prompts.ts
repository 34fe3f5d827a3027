/** The prompts of `setup`, on standard error. */
import type { CommandContext } from '../context.ts';
import { type Bilingual, both } from '../language.ts';
import { complaintOf, prompted } from '../prompts.ts';

/** What is wrong with an address as it is typed in. */
export function addressComplaint(typed: string): Bilingual | undefined {
  return /^\s*https?:\/\/[^/\s]/i.test(typed)
    ? undefined
    : both('http:// or https://', '须以 http:// 或 https:// 开头');
}

export interface TextWishes {
  readonly initial?: string;
  /** What is wrong with a text, as it is typed in. */
  readonly check?: (text: string) => Bilingual | undefined;
}

/** Asks for a line. Throws exit 130 where the prompt was left. */
export async function askText(
  context: CommandContext,
  question: Bilingual,
  { initial, check }: TextWishes = {},
): Promise<string> {
  const { text } = await import('@clack/prompts');
  const answer = await prompted(context, (place) =>
    text({
      message: context.say(question),
      ...(initial === undefined ? {} : { initialValue: initial }),
      validate: complaintOf(context, check),
      ...place,
    }),
  );
  return answer.trim();
}

/** Asks for a secret, unseen. Throws exit 130 where the prompt was left. */
export async function askSecret(context: CommandContext, question: Bilingual): Promise<string> {
  const { password } = await import('@clack/prompts');
  return (await prompted(context, (place) => password({ message: context.say(question), ...place }))).trim();
}
