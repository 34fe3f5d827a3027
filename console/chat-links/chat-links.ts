/** Links to chat sites and programs that the operator saved; each entry is a map of one name to one address. Pure. */

export interface ChatLink {
  readonly name: string;
  readonly index: number;
  readonly url: string;
  /** False for a link that opens a program. */
  readonly isPage: boolean;
}

/** What needs no entry of the operator: a program that takes a whole configuration. */
export const cherryStudioLink: ChatLink = {
  name: 'Cherry Studio',
  index: -1,
  url: 'cherrystudio://providers/api-keys?v=1&data={cherryConfig}',
  isPage: false,
};

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

export interface Filling {
  /** Where the gateway is, as clients are told. */
  readonly address: string;
  /** With `sk-`. */
  readonly key: string;
  readonly siteName: string;
}

/** The link as it opens. Whoever opens it gets the same: the side bar, the list of tokens and the chat page. */
export function filledLink(link: ChatLink, { address, key, siteName }: Filling): string {
  const filled = link.url.replaceAll('{address}', encodeURIComponent(address)).replaceAll('{key}', () => key);
  // A site would get the key within an address that it may well keep.
  if (link.isPage) return filled;
  return filled.replaceAll('{cherryConfig}', () => cherryConfig({ address, key, siteName }));
}

/** What Cherry Studio takes after `data=` (its protocol handler `providers/api-keys`, seen 2026-11): JSON in base64. */
function cherryConfig({ address, key, siteName }: Filling): string {
  const config = JSON.stringify({ id: 'tollgate', baseUrl: address, apiKey: key, name: siteName, type: 'openai' });
  const bytes = String.fromCharCode(...new TextEncoder().encode(config));
  return encodeURIComponent(btoa(bytes).replaceAll('+', '_').replaceAll('/', '-'));
}

/** True when whoever is behind the link gets a key. */
export function takesKey({ url, isPage }: ChatLink): boolean {
  return url.includes('{key}') || (!isPage && url.includes('{cherryConfig}'));
}

/** True for a site that gets the key in what a browser sends to it, instead of behind `#`. */
export function hasKeyInQuery({ url, isPage }: ChatLink): boolean {
  return isPage && (url.split('#')[0] ?? '').includes('{key}');
}

/** The host of a site, or the scheme of a program; undefined where it is not certain who that is. */
export function receiverOf({ url, isPage }: ChatLink): string | undefined {
  if (!isPage) return url.slice(0, url.indexOf(':')).toLowerCase();
  if (!URL.canParse(url)) return undefined;
  const { host } = new URL(url);
  return host === '' || /[{}]|%7b/i.test(host) ? undefined : host;
}
