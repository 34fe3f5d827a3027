/**
 * Cuts growing Markdown into blocks that can be drawn by themselves, so that only the last one is drawn anew while an
 * answer comes in. Joined by line ends they are the text again. Pure.
 */

const fence = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const listItem = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
/** A reference that other blocks may name: such a text stays whole. */
const definition = /^ {0,3}\[[^\]\n]+\]:/m;

export function markdownBlocks(text: string): readonly string[] {
  if (definition.test(text)) return [text];
  const blocks: string[] = [];
  let block: string[] = [];
  let open: string | undefined;
  let isList = false;
  let isAfterBlank = false;
  for (const line of text.split('\n')) {
    const isBlank = line.trim() === '';
    if (open === undefined && isAfterBlank && !isBlank && !continues(line, isList)) {
      blocks.push(block.join('\n'));
      block = [];
    }
    if (block.every((each) => each.trim() === '')) isList = listItem.test(line);
    block.push(line);
    open = openFence(line, open);
    isAfterBlank = isBlank && open === undefined;
  }
  return [...blocks, block.join('\n')];
}

/** Indented lines belong to what stands above, and items to their list. */
function continues(line: string, isList: boolean): boolean {
  return /^(?: {2,}|\t)/.test(line) || (isList && listItem.test(line));
}

/** The marks of the code that is open after the line. */
function openFence(line: string, open: string | undefined): string | undefined {
  const [, marks = '', rest = ''] = fence.exec(line) ?? [];
  if (marks === '') return open;
  if (open === undefined) return marks.startsWith('`') && rest.includes('`') ? undefined : marks;
  return marks[0] === open[0] && marks.length >= open.length && rest.trim() === '' ? undefined : open;
}
