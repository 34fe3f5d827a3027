/** What the lines of two texts have in common, found within a time that somebody waits for. Pure. */
import { diffLines } from 'diff';

export interface LinePart {
  readonly sign: '+' | '-' | ' ';
  readonly lines: readonly string[];
}

/** To compare takes the square of the lines that differ: minutes for two lists of thousands without one in common. */
const mostEdits = 1500;

export function lineParts(before: string, after: string): readonly LinePart[] {
  const parts = diffLines(before, after, { ignoreNewlineAtEof: true, maxEditLength: mostEdits });
  if (parts === undefined) return roughParts(before.split('\n'), after.split('\n'));
  return parts.map(({ added, removed, value }) => ({
    sign: added ? '+' : removed ? '-' : ' ',
    lines: value.replace(/\n$/, '').split('\n'),
  }));
}

/** Everything between the first and the last line that differ. */
function roughParts(before: readonly string[], after: readonly string[]): LinePart[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const parts: LinePart[] = [
    { sign: ' ', lines: before.slice(0, head) },
    { sign: '-', lines: before.slice(head, before.length - tail) },
    { sign: '+', lines: after.slice(head, after.length - tail) },
    { sign: ' ', lines: before.slice(before.length - tail) },
  ];
  return parts.filter(({ lines }) => lines.length > 0);
}
