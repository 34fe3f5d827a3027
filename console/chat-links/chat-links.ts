/** Links to chat sites and programs that the operator saved; each entry is a map of one name to one address. Pure. */

export interface ChatLink {
  readonly name: string;
  readonly index: number;
  readonly url: string;
  /** False for a link that opens a program. */
  readonly isPage: boolean;
}

/** Undefined when the list cannot be used. */
export function chatLinksOf(chats: readonly Readonly<Record<string, string>>[]): readonly ChatLink[] | undefined {
  const links: ChatLink[] = [];
  for (const [index, entry] of chats.entries()) {
    const [pair, ...others] = Object.entries(entry);
    if (pair === undefined || others.length > 0) return undefined;
    const [name, url] = pair;
    if (name === '' || !/^[a-z][a-z\d+.-]*:/i.test(url) || /^(?:javascript|data|vbscript|file|blob):/i.test(url)) {
      return undefined;
    }
    links.push({ name, index, url, isPage: /^https?:/i.test(url) });
  }
  return links;
}
