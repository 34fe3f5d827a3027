/**
 * Cuts growing Markdown into blocks that can be drawn by themselves, so that only the last one is drawn anew while an
 * answer comes in. Joined by line ends they are the text again. Pure.
 */

const fence = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const listItem = /^( {0,3})(?:[-*+]|(\d{1,9})[.)])(?:\s|$)/;
/** A reference that other blocks may name: such a text stays whole. */
const definition = /^ {0,3}\[[^\]]+\]:/;
/** Letters after which a list goes on in another block: read as one, a list of 2,000 lines takes seconds each time. */
const longList = 4000;

export function markdownBlocks(text: string): readonly string[] {
  const blocks: string[] = [];
  let block: string[] = [];
  let letters = 0;
  let open: string | undefined;
  /** How far the items of the list stand in; undefined outside of one. */
  let indent: string | undefined;
  let isAfterBlank = false;
  for (const line of text.split('\n')) {
    const isBlank = line.trim() === '';
    if (open === undefined) {
      if (definition.test(line)) return [text];
      const isNext = isAfterBlank && !isBlank && !continues(line, indent !== undefined);
      if (isNext || (letters > longList && goesOnAlone(line, indent))) {
        blocks.push(block.join('\n'));
        block = [];
        letters = 0;
      }
    }
    if (letters === 0) indent = listItem.exec(line)?.[1];
    block.push(line);
    letters += line.trim() === '' ? 0 : line.length;
    open = openFence(line, open);
    isAfterBlank = isBlank && open === undefined;
  }
  return [...blocks, block.join('\n')];
}

/** Indented lines belong to what stands above, and items to their list. */
function continues(line: string, isList: boolean): boolean {
  return /^(?: {2,}|\t)/.test(line) || (isList && listItem.test(line));
}

/** An item of the list itself which, as the first of a list, keeps its number. */
function goesOnAlone(line: string, indent: string | undefined): boolean {
  const [, own, number] = listItem.exec(line) ?? [];
  return own !== undefined && own === indent && (number === undefined || Number(number) > 1);
}

/** The marks of the code that is open after the line. */
function openFence(line: string, open: string | undefined): string | undefined {
  const [, marks = '', rest = ''] = fence.exec(line) ?? [];
  if (marks === '') return open;
  if (open === undefined) return marks.startsWith('`') && rest.includes('`') ? undefined : marks;
  return marks[0] === open[0] && marks.length >= open.length && rest.trim() === '' ? undefined : open;
}
