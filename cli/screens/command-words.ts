/** Command lines as they are written in the palette: their words, and finding a command by letters of its name. */

import { isReference } from '../argument-texts.ts';
import type { Named } from '../hint-words.ts';

/** A command of the program. */
export interface KnownCommand {
  /** Words behind the program's name. */
  readonly path: string;
  /** Its arguments, e.g. `[options] <channel...>`. */
  readonly usage: string;
  readonly summary: string;
}

/** Words as a shell would split them; quotes hold a word together, a backslash keeps the next character. */
export function wordsOfLine(line: string): string[] {
  const words: string[] = [];
  const parts = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|(\s+)|([^\s'"\\]+|['"\\])/gsu;
  let word: string | undefined;
  for (const [, single, double, escaped, space, plain] of line.matchAll(parts)) {
    if (space !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + (single ?? double?.replace(/\\(.)/gs, '$1') ?? escaped ?? plain ?? '');
    }
  }
  return word === undefined ? words : [...words, word];
}

/** A text as one word of a line, whatever stands in it: names and models are written by others. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The command that a line begins with, by the longest name; undefined for none. */
export function commandOfLine(words: readonly string[], known: readonly KnownCommand[]): KnownCommand | undefined {
  const fits = ({ path }: KnownCommand) => path.split(' ').every((word, at) => word === words[at]);
  return known.filter(fits).toSorted((a, b) => b.path.length - a.path.length)[0];
}

/** What a line names, by the arguments of its command, as hints take it; of several things nothing. */
export function namedByLine(line: string, known: readonly KnownCommand[]): Named {
  const words = wordsOfLine(line).slice(1);
  const command = commandOfLine(words, known);
  if (command === undefined) return {};
  const given = words.slice(command.path.split(' ').length);
  const flag = given.findIndex((word) => word.startsWith('-'));
  const subjects = flag < 0 ? given : given.slice(0, flag);
  const named: Record<string, string> = {};
  const places = [...command.usage.matchAll(/[<[]([a-z-]+)(\.\.\.)?[>\]]/g)].filter(([, name]) => name !== 'options');
  for (const [at, [, place = '', dots]] of places.entries()) {
    // As in `user-and-money`, the last word may be something else.
    const [name = '', more] = place.split('-and-');
    const meant = subjects.slice(at, dots === undefined ? at + 1 : more === undefined ? undefined : -1);
    if (meant.length === 1 && meant[0] !== undefined && isReference(name)) named[name] = meant[0];
  }
  return named;
}

/** Commands whose names have these letters in this order, the closest first. */
export function foundCommands(typed: string, known: readonly KnownCommand[]): readonly KnownCommand[] {
  if (typed.trim() === '') return known;
  const letters = [...typed.toLowerCase().replace(/\s+/g, ' ').trim()];
  return known
    .map((command) => ({ command, distance: distanceOf(letters, command.path) }))
    .filter((found) => found.distance !== undefined)
    .toSorted((a, b) => (a.distance ?? 0) - (b.distance ?? 0))
    .map(({ command }) => command);
}

/** How far apart the letters stand; where it can, a letter begins a word. Undefined where one is missing. */
function distanceOf(letters: readonly string[], path: string): number | undefined {
  let at = 0;
  let gaps = 0;
  for (const letter of letters) {
    const word = path.indexOf(` ${letter}`, at);
    const next = path.startsWith(letter, at) ? at : word >= 0 ? word + 1 : path.indexOf(letter, at);
    if (next < 0) return undefined;
    gaps += next === at ? 0 : word + 1 === next ? 1 : next - at;
    at = next + 1;
  }
  // Of two that fit alike, the shorter is meant.
  return gaps * 100 + path.length;
}
