/** Saved chat links between the stored text, a list of one-entry maps, and the rows of a table. */

export interface ChatLink {
  readonly name: string;
  readonly link: string;
}

/** Undefined where the text is not such a list. */
export function chatLinksOf(text: string): readonly ChatLink[] | undefined {
  let parsed: unknown;
  try {
    parsed = text.trim() === '' ? [] : JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(parsed)) return undefined;
  const links: ChatLink[] = [];
  for (const entry of parsed) {
    if (typeof entry !== 'object' || entry === null) return undefined;
    const [first, second] = Object.entries(entry);
    if (!first || second || typeof first[1] !== 'string') return undefined;
    links.push({ name: first[0], link: first[1] });
  }
  return links;
}

export function chatLinksText(links: readonly ChatLink[]): string {
  return JSON.stringify(
    links.map(({ name, link }) => ({ [name]: link })),
    null,
    2,
  );
}

/** The link as it would open, with a key that is none. */
export function previewOf(link: string, address: string): string {
  return link.replaceAll('{address}', encodeURIComponent(address)).replaceAll('{key}', 'sk-…');
}
