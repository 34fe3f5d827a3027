/** Whom a request comes from (REQ-36): the one function that log, rate limits, `allow_ips` and sessions use. */
import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Networks whose forwarding headers are believed. */
export class TrustedProxies {
  readonly #networks: readonly Network[];

  /** Addresses or CIDR blocks; configuration has checked that each can be read. */
  constructor(entries: readonly string[]) {
    this.#networks = entries.map((entry) => (entry.includes('/') ? ipaddr.parseCIDR(entry) : wholeAddress(entry)));
  }

  includes(address: string): boolean {
    if (this.#networks.length === 0 || !ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return this.#networks.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match([network, bits]));
  }
}

function wholeAddress(text: string): Network {
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv6' ? 128 : 32];
}

/**
 * Address of the client: the peer, or, while hops are trusted proxies, what they forwarded, walked from the right. A
 * header from a peer that is not trusted is ignored.
 */
export function clientAddressOf(request: IncomingMessage, trusted: TrustedProxies): string {
  const peer = peerOf(request);
  if (!trusted.includes(peer)) return peer;
  const forwarded = headerOf(request, 'x-forwarded-for');
  if (forwarded === undefined) return plainAddress(headerOf(request, 'x-real-ip')) ?? peer;
  let client = peer;
  for (const hop of forwarded.split(',').reverse()) {
    const address = plainAddress(hop);
    // What stands left of an unreadable hop was written by nobody we trust.
    if (address === undefined) return client;
    client = address;
    if (!trusted.includes(address)) return client;
  }
  return client;
}

/** Names of this machine that nobody else can lead here. */
const ownNames = /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/**
 * True when the peer itself is loopback and no header says that it speaks for somebody else (2.7): a proxy for its
 * clients, or a browser for a page that has led its own name here (DNS rebinding).
 */
export function isLocalClient(request: IncomingMessage): boolean {
  const { headers } = request;
  const speaksForOthers =
    ['forwarded', 'x-forwarded-for', 'x-real-ip'].some((name) => headers[name] !== undefined) ||
    (headers.host !== undefined && !ownNames.test(headers.host));
  return !speaksForOthers && ipaddr.isValid(peerOf(request)) && ipaddr.process(peerOf(request)).range() === 'loopback';
}

/** True when the client's side of the connection is https; `X-Forwarded-Proto` counts from trusted proxies only. */
export function isSecureClient(request: IncomingMessage, trusted: TrustedProxies): boolean {
  if ('encrypted' in request.socket && request.socket.encrypted === true) return true;
  if (!trusted.includes(peerOf(request))) return false;
  return headerOf(request, 'x-forwarded-proto')?.split(',')[0]?.trim().toLowerCase() === 'https';
}

/** Address of the peer, IPv4-mapped addresses as IPv4. */
function peerOf(request: IncomingMessage): string {
  return plainAddress(request.socket.remoteAddress) ?? '0.0.0.0';
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(',') : value;
}

/** The address in a forwarding header, without port and brackets; undefined when it is none. */
function plainAddress(text: string | undefined): string | undefined {
  const trimmed = text?.trim() ?? '';
  if (trimmed === '') return undefined;
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed;
  return ipaddr.isValid(bare) ? ipaddr.process(bare).toString() : undefined;
}
