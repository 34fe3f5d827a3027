/** What a chat link becomes when it is followed, and who gets the key in it. Pure. */
import type { ChatLink } from './chat-links.ts';

/** What needs no entry of the operator: a program that takes a whole configuration. */
export const cherryStudioLink: ChatLink = {
  name: 'Cherry Studio',
  index: -1,
  url: 'cherrystudio://providers/api-keys?v=1&data={cherryConfig}',
  isPage: false,
};

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
