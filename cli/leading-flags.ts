/**
 * Common flags before the words of a command (`tollgate -o json user list`, `tollgate user -q list`). To commander they
 * would be flags of the program, which has none: they are put where the command's own flags stand.
 */
import type { Command } from 'commander';
import { commonFlag } from './common-flags.ts';

/** How many of the words at the beginning are common flags, or a wish for help, with their values. */
function leadingFlags(words: readonly string[]): number {
  let at = 0;
  for (let word = words[at]; word !== undefined; word = words[at]) {
    const flag = isWishForHelp(word) ? { takesNext: false } : commonFlag(word);
    if (flag === undefined) break;
    at += flag.takesNext ? 2 : 1;
  }
  return Math.min(at, words.length);
}

/** The words from the first that is no common flag on. */
export function withoutLeadingFlags(words: readonly string[]): readonly string[] {
  return words.slice(leadingFlags(words));
}

/**
 * The words with the flags that stood before the last word of the command right behind it, where later ones win over them.
 * Behind what is no command only a wish for help is left of them: what is missing or unknown is told first.
 */
export function behindCommand(program: Command, words: readonly string[]): string[] {
  const path: string[] = [];
  const leading: string[] = [];
  let rest = words;
  let command = program;
  while (command.commands.length > 0) {
    const flags = leadingFlags(rest);
    const word = rest[flags] ?? '';
    const child = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
    // Behind the last word of a command they are its own already, by its own names.
    if (child === undefined && isCommand(command)) break;
    leading.push(...rest.slice(0, flags));
    rest = rest.slice(flags);
    if (child === undefined) break;
    path.push(word);
    rest = rest.slice(1);
    command = child;
  }
  const flags = isCommand(command) ? leading.map((word) => ownName(command, word)) : leading.filter(isWishForHelp);
  return [...path, ...flags, ...rest];
}

/** Some have commands below them and are one themselves. */
const isCommand = (command: Command) => command.options.some(({ long }) => long === '--profile');

const isWishForHelp = (word: string) => word === '-h' || word === '--help';

/** The name by which a command takes a flag that its own has another meaning of. */
function ownName(command: Command, word: string): string {
  const [name = '', ...value] = word.split('=');
  const longer = { '--output': '--output-form', '--out': '--out-file' }[name];
  if (longer === undefined || !command.options.some(({ long }) => long === longer)) return word;
  return [longer, ...value].join('=');
}
