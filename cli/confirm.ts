/** Questions before something is deleted or spent: `--yes` answers, and where nobody can be asked nothing is sent. */
import { mostPasswordBytes, shortestPassword } from '../daemon/contract/account-limits.ts';
import type { CommandContext } from './context.ts';
import { declined, usageError } from './errors.ts';
import { type Bilingual, both } from './language.ts';
import { askYesOrNo, complaintOf, emptyComplaint, prompted } from './prompts.ts';

/** Asks a yes/no question. Throws exit 3 when there is nobody to ask or the answer is no, 130 when it is left. */
export async function confirm(context: CommandContext, question: Bilingual): Promise<void> {
  if (context.flags.unsent) return;
  const { interactive } = context.terminal;
  if (context.flags.yes && !(interactive && (await context.target()).settings.confirm === 'always')) return;
  if (!interactive) {
    throw usageError(both(`${question.en} needs an answer`, `${question.zh} 需要确认`), {
      hint: both('add --yes', '请加上 --yes'),
    });
  }
  await confirmHere(context, question);
}

/** Asks a yes/no question that `--yes` cannot answer: it was not known when that was written. */
export async function confirmHere(context: CommandContext, question: Bilingual): Promise<void> {
  const answer = await askYesOrNo(context, question, { initial: 'no' });
  if (!answer) throw declined();
}

/** Asks for the name or count itself. Scripts pass `--confirm VALUE`; `--yes` is not enough. */
export async function confirmSevere(context: CommandContext, question: Bilingual, expected: string): Promise<void> {
  if (context.flags.confirm === expected || context.flags.unsent) return;
  if (context.flags.confirm !== undefined || !context.terminal.interactive) {
    throw usageError(
      both(`${question.en}: pass --confirm ${expected}`, `${question.zh}：请传入 --confirm ${expected}`),
      {
        field: '--confirm',
      },
    );
  }
  const { text } = await import('@clack/prompts');
  const message = `${context.say(question)} (${expected})`;
  const answer = await prompted(context, (place) => text({ message, ...place }));
  if (answer !== expected) throw declined();
}

/**
 * A password without echo, or the flag's source; standard input that is a terminal is asked. Literals on the command
 * line are refused.
 *
 * @param check what is wrong with a password that is typed in; what a flag brings is for the server to judge
 */
export async function askPassword(
  context: CommandContext,
  sources: { stdin: boolean; file: string | undefined },
  question: Bilingual,
  check: (typed: string) => Bilingual | undefined = emptyComplaint,
): Promise<string> {
  if (isPiped(context, sources)) return (await context.value('-', '--password-stdin')).replace(/\r?\n$/, '');
  if (sources.file !== undefined)
    return (await context.value(`@${sources.file}`, '--password-file')).replace(/\r?\n$/, '');
  if (!context.terminal.interactive) {
    throw usageError(both('a password is needed', '需要密码'), {
      field: '--password-stdin',
      hint: both('pass it with --password-stdin or --password-file', '请使用 --password-stdin 或 --password-file'),
    });
  }
  const { password } = await import('@clack/prompts');
  return prompted(context, (place) =>
    password({ message: context.say(question), validate: complaintOf(context, check), ...place }),
  );
}

/** Whether the password is what a program or file writes to standard input: at a terminal it would be shown as it is typed. */
function isPiped({ terminal }: CommandContext, { stdin }: { readonly stdin: boolean }): boolean {
  return stdin && !terminal.stdin;
}

/**
 * A password that is made now: what is written unseen is written twice. One from a flag's source is for the server to
 * judge.
 */
export async function askNewPassword(
  context: CommandContext,
  sources: { stdin: boolean; file: string | undefined },
): Promise<string> {
  const question = both('New password (at least {count} characters)', '新密码（至少 {count} 个字符）', {
    count: shortestPassword,
  });
  const password = await askPassword(context, sources, question, passwordComplaint);
  if (isPiped(context, sources) || sources.file !== undefined) return password;
  await askPassword(context, sources, both('The password once more', '再次输入密码'), (again) =>
    again === password ? undefined : both('the two passwords differ', '两次输入的密码不同'),
  );
  return password;
}

function passwordComplaint(typed: string): Bilingual | undefined {
  if ([...typed].length < shortestPassword)
    return both('at least {count} characters', '至少 {count} 个字符', { count: shortestPassword });
  if (Buffer.byteLength(typed) > mostPasswordBytes)
    return both('{count} bytes at most', '最多 {count} 字节', { count: mostPasswordBytes });
  return undefined;
}
