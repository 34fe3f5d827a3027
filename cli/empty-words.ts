/**
 * Words that were given and name nothing, as a script's variable that is not set: they are refused before anything is
 * asked, since to the server an empty name may mean every one.
 */
import type { Command } from 'commander';
import { usageError } from './errors.ts';
import { both } from './language.ts';

/** Arguments for which nothing is a value: a text may be empty. */
const mayBeEmpty: ReadonlySet<string> = new Set(['key-value', 'prompt', 'text', 'words']);

/** Arguments that become a step of the path of a call, where these two lead elsewhere. */
const steps: ReadonlySet<string> = new Set(['id', 'set', 'target', 'trade-no']);
const otherSteps: ReadonlySet<string> = new Set(['.', '..']);

/** Flags that name one thing in every command that has them. */
const references: ReadonlySet<string> = new Set(['--actor', '--channel', '--token', '--user']);

/** Throws exit 3 for the first. @param given arguments as commander hands them over, undefined for absent ones */
export function refuseEmptyWords({ registeredArguments, options }: Command, given: readonly unknown[], flags: object) {
  for (const [at, argument] of registeredArguments.entries()) {
    const name = argument.name();
    const words: readonly unknown[] = [given[at]].flat();
    for (const word of words) {
      if (typeof word !== 'string' || mayBeEmpty.has(name)) continue;
      if (word.trim() === '') throw isEmpty(`<${name}>`);
      if (steps.has(name) && otherSteps.has(word)) {
        throw usageError(both(`<${name}> cannot be ${word}`, `<${name}> 不能为 ${word}`), { field: `<${name}>` });
      }
    }
  }
  for (const option of options) {
    const { long = '' } = option;
    if (references.has(long)) chosenBy(Reflect.get(flags, option.attributeName()), long);
  }
}

/** What a flag chooses by; undefined when it was not given. Throws exit 3 where it is empty, which would choose everything. */
export function chosenBy(value: unknown, field: string): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (value.trim() === '') throw isEmpty(field);
  return value;
}

/** What a flag narrows something down to. Throws exit 3 for no words, which would narrow nothing down. */
export function narrowedTo(words: readonly string[], field: string): readonly string[] {
  if (words.length === 0) throw isEmpty(field);
  return words;
}

function isEmpty(field: string) {
  return usageError(both(`${field} is empty`, `${field} 为空`), { field });
}
