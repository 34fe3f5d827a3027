/** Images that stand in Markdown themselves, as data addresses: those that models make come so (relay.md 13.4). Pure. */

export interface WrittenImage {
  readonly alt: string;
  readonly src: string;
}

/** Pictures only: an SVG may hold text and links that look like the page's own. */
const written = /!\[([^\]\n]*)\]\((data:image\/(?:png|jpeg|webp|gif);base64,[A-Za-z0-9+/]+={0,2})\)/g;
/** Where a fenced or an indented block of code begins. */
export const codeMark = /^ {0,3}(?:`{3}|~{3})|^(?: {4}|\t)/m;

/**
 * The Markdown around such images, and the images between; in code they are code. A reader of Markdown would take each of
 * their millions of letters by itself.
 */
export function withImagesCut(markdown: string): readonly (string | WrittenImage)[] {
  if (!markdown.includes('](data:image/') || codeMark.test(markdown)) return [markdown];
  const pieces: (string | WrittenImage)[] = [];
  let end = 0;
  for (const match of markdown.matchAll(written)) {
    const [whole, alt = '', src = ''] = match;
    pieces.push(markdown.slice(end, match.index), { alt, src });
    end = match.index + whole.length;
  }
  return [...pieces, markdown.slice(end)].filter((piece) => typeof piece !== 'string' || piece.trim() !== '');
}
