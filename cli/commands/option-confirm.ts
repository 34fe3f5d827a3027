/** What is asked before an option changes, however it is changed. */
import { confirm } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { both } from '../language.ts';

/** Asks before options that only the super administrator may change (class R, cli.md 1.4); lets all others pass. */
export async function confirmOptions(context: CommandContext, keys: readonly string[]): Promise<void> {
  const { isOptionKey, optionTable } = await import('../../daemon/contract/options.ts');
  const names = keys.filter((key) => isOptionKey(key) && optionTable[key].class === 'root').join(', ');
  if (names === '') return;
  const question = both(`${names} can change who gets in and who is paid; set?`, `${names} 影响登录或收款，确认设置？`);
  await confirm(context, question);
}
