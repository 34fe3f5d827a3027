/**
 * Decides which addresses an outbound connection may reach (management-api.md 8.2, requirement S6).
 * Callers resolve through `lookup`, so that the address that was checked is the one that is connected to.
 */
import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Who chose the address: `channel` is an operator's base URL, where private networks are normal;
 * `guarded` is everything that came from a user, an upstream answer or a third party.
 */
export type EgressClass = 'channel' | 'guarded';

export interface AddressGuardConfig {
  /** CIDRs, single addresses, `host` or `host:port` that are allowed whatever they resolve to. */
  allow: readonly string[];
  /** May channel base URLs point into private networks; metadata services stay refused. */
  channelAllowPrivate: boolean;
  /** Resolver; the system's unless a test brings its own. */
  resolve?: (host: string, callback: ResolveCallback) => void;
  /** Default 5000. */
  dnsTimeoutMs?: number;
}

export type ResolveCallback = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

/** A target that the guard refuses. Its text names the target: for operators only. */
export class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED';
  /** As written, or for where its name leads, which is nothing that a stranger should learn of a network. */
  readonly judged: 'as-written' | 'by-name';

  constructor(target: string, judged: AddressRefused['judged'] = 'as-written') {
    super(`address refused: ${target}`);
    this.name = 'AddressRefused';
    this.judged = judged;
  }
}

/** `open`: anywhere. `private`: operators only. `never`: nobody without an entry in the allow list. */
export type AddressVerdict = 'open' | 'private' | 'never';

/** Networks where an operator's own model server may live. Fake-IP resolvers of local proxies answer from 198.18/15. */
const PRIVATE_RANGES = new Set(['loopback', 'private', 'carrierGradeNat', 'uniqueLocal', 'deprecatedSiteLocal']);
const BENCHMARK_V4 = ipaddr.parseCIDR('198.18.0.0/15');
const SITE_LOCAL = ipaddr.parseCIDR('fec0::/10');
const LOCAL_NAT64 = ipaddr.parseCIDR('64:ff9b:1::/48');
const COMPATIBLE_V4 = ipaddr.parseCIDR('::/96');

/** Metadata services outside the link-local ranges, which are refused as a whole. */
const METADATA_ADDRESSES = new Set([
  '100.100.100.200', // Alibaba Cloud
  '168.63.129.16', // Azure wire server
  '192.0.0.192', // Oracle Cloud, older images
  'fd00:ec2::254', // AWS
  'fd20:ce::254', // Google Cloud
]);
const METADATA_HOSTS = new Set(['metadata.google.internal', 'metadata', 'instance-data', 'instance-data.ec2.internal']);

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Octets that hold the IPv4 address behind a prefix of 48, 56, 64 and 96 bits (RFC 6052, 2.2). */
const NAT64_PLACES = [
  [6, 7, 9, 10],
  [7, 9, 10, 11],
  [9, 10, 11, 12],
  [12, 13, 14, 15],
];

/**
 * Where an address leads: an IPv6 form that carries an IPv4 address (mapped, translated, NAT64, 6to4, compatible) to
 * that one, any other to itself. How long the prefix of a site's own NAT64 is (RFC 8215), nobody else knows: it may
 * lead to each address that can be read there, but for those of 0.0.0.0/8, where no translator goes.
 */
function destinationsOf(address: Address): readonly Address[] {
  if (!(address instanceof ipaddr.IPv6)) return [address];
  if (address.isIPv4MappedAddress()) return [address.toIPv4Address()];
  const bytes = address.toByteArray();
  const range = address.range();
  if (address.match(LOCAL_NAT64)) {
    const read = NAT64_PLACES.map((places) => new ipaddr.IPv4(places.map((place) => bytes[place] ?? 0)));
    const led = read.filter((found) => found.range() !== 'unspecified');
    return led.length === 0 ? [address] : led;
  }
  if (range === '6to4') return [new ipaddr.IPv4(bytes.slice(2, 6))];
  const isCompatible = address.match(COMPATIBLE_V4) && range !== 'unspecified' && range !== 'loopback';
  if (range === 'rfc6145' || range === 'rfc6052' || isCompatible) return [new ipaddr.IPv4(bytes.slice(12))];
  return [address];
}

/** Classifies one literal address in any spelling that the platform accepts; unreadable text is `never`. */
export function judgeAddress(text: string): AddressVerdict {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  const unscoped = bare.includes('%') ? bare.slice(0, bare.indexOf('%')) : bare;
  if (!ipaddr.isValid(unscoped)) return 'never';
  const verdicts = destinationsOf(ipaddr.parse(unscoped)).map(judgeDestination);
  return verdicts.includes('never') ? 'never' : verdicts.includes('private') ? 'private' : 'open';
}

function judgeDestination(address: Address): AddressVerdict {
  if (METADATA_ADDRESSES.has(address.toString())) return 'never';
  if (address instanceof ipaddr.IPv6 && address.match(SITE_LOCAL)) return 'private';
  if (address instanceof ipaddr.IPv4 && address.match(BENCHMARK_V4)) return 'private';
  const range = address.range();
  if (range === 'unicast') return 'open';
  return PRIVATE_RANGES.has(range) ? 'private' : 'never';
}

type AllowEntry = { host: string; port: string | undefined } | { network: Address; bits: number };

function parseAllowEntry(text: string): AllowEntry {
  const entry = text.trim().toLowerCase();
  if (ipaddr.isValidCIDR(entry)) {
    const [network, bits] = ipaddr.parseCIDR(entry);
    return { network, bits };
  }
  if (ipaddr.isValid(entry)) {
    const network = ipaddr.parse(entry);
    return { network, bits: network instanceof ipaddr.IPv6 ? 128 : 32 };
  }
  const colon = entry.lastIndexOf(':');
  const hasPort = colon > 0 && /^\d+$/.test(entry.slice(colon + 1));
  const host = hasPort ? entry.slice(0, colon) : entry;
  return { host: stripBrackets(host), port: hasPort ? entry.slice(colon + 1) : undefined };
}

function stripBrackets(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

export class AddressGuard {
  readonly #allow: readonly AllowEntry[];
  readonly #channelAllowPrivate: boolean;
  readonly #resolve: (host: string, callback: ResolveCallback) => void;
  readonly #dnsTimeoutMs: number;

  constructor(config: AddressGuardConfig) {
    this.#allow = config.allow.map(parseAllowEntry);
    this.#channelAllowPrivate = config.channelAllowPrivate;
    this.#resolve = config.resolve ?? ((host, callback) => systemLookup(host, { all: true }, callback));
    this.#dnsTimeoutMs = config.dnsTimeoutMs ?? 5000;
  }

  /**
   * Everything that can be said about a URL before names are resolved: scheme, credentials, literal addresses.
   * Throws `AddressRefused`. The URL parser has already turned decimal, octal and hexadecimal hosts into dotted ones.
   */
  checkUrl(url: URL, egress: EgressClass): void {
    const host = stripBrackets(url.hostname).toLowerCase();
    const port = url.port || DEFAULT_PORTS[url.protocol];
    if (port === undefined || host === '' || url.username !== '' || url.password !== '' || port === '0') {
      throw new AddressRefused(`${url.protocol}//${url.host}`);
    }
    this.checkHost(host, port, egress);
  }

  /** As `checkUrl`, of a host and port by themselves, for what is no web address. Throws `AddressRefused`. */
  checkHost(text: string, port: string, egress: EgressClass): void {
    const host = stripBrackets(text).toLowerCase();
    if (this.#allowsHost(host, port)) return;
    const named = host.endsWith('.') ? host.slice(0, -1) : host;
    if (METADATA_HOSTS.has(named)) throw new AddressRefused(`${text}:${port}`);
    if (isIP(host) !== 0 && !this.allowsAddress(host, egress)) throw new AddressRefused(`${text}:${port}`);
  }

  /** As `checkUrl`, and where the name leads by now: for calls that somebody else makes in our place. Rejects. */
  async checkTarget(url: URL, egress: EgressClass): Promise<void> {
    this.checkUrl(url, egress);
    await this.checkPlace(url.hostname, url.port || DEFAULT_PORTS[url.protocol] || '', egress);
  }

  /** As `checkHost`, and where the name leads by now. Rejects. */
  async checkPlace(host: string, port: string, egress: EgressClass): Promise<void> {
    this.checkHost(host, port, egress);
    const look = this.lookup(egress, port);
    await new Promise<void>((resolve, reject) => {
      look(stripBrackets(host), { all: true }, (error) => (error === null ? resolve() : reject(error)));
    });
  }

  /** Whether `checkUrl` lets an address through; anything that is no address does not pass. */
  accepts(text: string, egress: EgressClass): boolean {
    try {
      this.checkUrl(new URL(text), egress);
      return true;
    } catch {
      return false;
    }
  }

  /** The operator's allow list names this very target, so that its port is meant too. */
  isListed(url: URL): boolean {
    const host = stripBrackets(url.hostname).toLowerCase();
    const port = url.port || DEFAULT_PORTS[url.protocol] || '';
    return this.#allowsHost(host, port) || (isIP(host) !== 0 && this.#allowsLiteral(host));
  }

  /** May a connection of this class end at this literal address. */
  allowsAddress(address: string, egress: EgressClass): boolean {
    const verdict = judgeAddress(address);
    if (verdict === 'open') return true;
    if (verdict === 'private' && egress === 'channel' && this.#channelAllowPrivate) return true;
    return this.#allowsLiteral(address);
  }

  /** A resolver for `net.connect` that passes on only addresses this class may reach; fails when none is left. */
  lookup(egress: EgressClass, port: string): LookupFunction {
    return (host, options, callback) => {
      let answered = false;
      const answer = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => {
        if (answered) return;
        answered = true;
        clearTimeout(timer);
        const [first] = addresses;
        if (error !== null || first === undefined) callback(error ?? new AddressRefused(host, 'by-name'), '', 0);
        else if (options.all === true) callback(null, addresses);
        else callback(null, first.address, first.family);
      };
      const timer = setTimeout(() => {
        answer(Object.assign(new Error(`no answer from the resolver for ${host}`), { code: 'ETIMEOUT' }), []);
      }, this.#dnsTimeoutMs);
      timer.unref();
      const exempt = this.#allowsHost(host.toLowerCase(), port);
      this.#resolve(host, (error, addresses) => {
        if (error !== null) {
          answer(error, []);
          return;
        }
        const family = options.family === 4 || options.family === 6 ? options.family : 0;
        const wanted = family === 0 ? addresses : addresses.filter((entry) => entry.family === family);
        // One refused address condemns the name: a mixed answer is how rebinding hides.
        const refused = !exempt && wanted.some((entry) => !this.allowsAddress(entry.address, egress));
        if (refused) answer(new AddressRefused(host, 'by-name'), []);
        else answer(null, wanted);
      });
    };
  }

  #allowsHost(host: string, port: string): boolean {
    for (const entry of this.#allow) {
      if ('host' in entry && entry.host === host && (entry.port === undefined || entry.port === port)) return true;
    }
    return false;
  }

  #allowsLiteral(text: string): boolean {
    const bare = text.includes('%') ? text.slice(0, text.indexOf('%')) : text;
    if (!ipaddr.isValid(bare)) return false;
    return destinationsOf(ipaddr.parse(bare)).every((address) =>
      this.#allow.some(
        (entry) =>
          'network' in entry && entry.network.kind() === address.kind() && address.match([entry.network, entry.bits]),
      ),
    );
  }
}
