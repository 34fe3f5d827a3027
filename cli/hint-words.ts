/**
 * What hints leave open (`channel get CHANNEL`), as far as the command knows it: what its arguments name, and what a
 * failure knows of itself.
 */
import type { Command } from 'commander';
import { isReference } from './argument-texts.ts';
import { wordsOf } from './flags.ts';

/** Words as they were typed, by the name of the argument: `channel`, `trade-no`. */
export type Named = Readonly<Record<string, string>>;

/** What a command was asked about. */
export interface Subjects {
  readonly named: Named;
  /** Name of the argument that takes several. */
  readonly item: string | undefined;
}

export const noSubjects: Subjects = { named: {}, item: undefined };

/** What the arguments of a command name; of several only that there are some. */
export function subjectsOf({ registeredArguments }: Command, args: readonly (string | string[])[]): Subjects {
  const named: Record<string, string> = {};
  let item: string | undefined;
  for (const [at, argument] of registeredArguments.entries()) {
    const [name = '', more] = argument.name().split('-and-');
    if (!isReference(name)) continue;
    if (argument.variadic) item = name;
    // The last word is the amount.
    const words = wordsOf(args[at]).slice(0, more === undefined ? undefined : -1);
    const [word] = words;
    if (word !== undefined && word !== '' && word !== '-' && words.length === 1) named[name] = word;
  }
  return { named, item };
}

/** The same with the one item that is spoken of. */
export function namedBy({ named, item }: Subjects, reference: string): Named {
  return item === undefined ? named : { ...named, [item]: reference };
}

/** A hint with everything filled in that is known. */
export function filled(hint: string, named: Named): string {
  return hint.replace(/\b[A-Z]+(?:_[A-Z]+)*\b/g, (place) => {
    const word = named[place.toLowerCase().replaceAll('_', '-')];
    return word === undefined ? place : shellWord(word);
  });
}

/** How the token of a profile is renewed, whichever is the current one. */
export function signInAgain(profile: string): string {
  return `tollgate login --profile ${shellWord(profile)}`;
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
