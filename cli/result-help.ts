/** What `--help` says of a command's result: the names by which it can be asked for. */
import type { Command } from 'commander';
import { printedBy, type Runtime } from './command.ts';
import { CommandContext } from './context.ts';
import { both } from './language.ts';
import { columnNames } from './output/choices.ts';

/** Adds columns and JSON fields behind the flags of a command that prints by name. */
export async function explainResult(command: Command, runtime: Runtime): Promise<void> {
  const text = runtime.texts.get(command);
  if (text === undefined) return;
  const printed = await printedBy(new CommandContext({}, runtime), {}, text);
  const lines = [
    [both('Columns:', '列：'), columnNames(printed)],
    [both('JSON fields:', 'JSON 字段：'), printed.fields ?? []],
  ] as const;
  for (const [label, names] of lines) {
    if (names.length > 0) command.addHelpText('after', `\n${label[runtime.language]}\n${wrapped(names)}`);
  }
}

const widest = 78;

function wrapped(names: readonly string[]): string {
  const lines = [''];
  for (const name of names) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && last.length + name.length + 2 > widest) lines.push(name);
    else lines[lines.length - 1] = last === '' ? name : `${last}, ${name}`;
  }
  return lines.map((line) => `  ${line}`).join(',\n');
}
