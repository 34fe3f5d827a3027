/** Command lines as they are written in the palette: their words, and finding a command by letters of its name. */

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
