/** A token's list of addresses it may be used from (relay.md 3.3). */
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** IPv4-mapped addresses count as IPv4, so that both spellings of one address match one entry. */
function read(text: string): Address | undefined {
  return ipaddr.isValid(text) ? ipaddr.process(text) : undefined;
}

export class AddressList {
  readonly #networks: readonly (readonly [Address, number])[];
  readonly #closed: boolean;

  /** Lines, spaces and commas separate entries; one that cannot be read matches nothing and opens nothing. */
  constructor(text: string) {
    const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
    this.#closed = entries.length > 0;
    this.#networks = entries.flatMap((entry): [Address, number][] => {
      if (ipaddr.isValidCIDR(entry)) return [ipaddr.parseCIDR(entry)];
      const address = read(entry);
      return address === undefined ? [] : [[address, address.kind() === 'ipv6' ? 128 : 32]];
    });
  }

  /** True when the list is empty or holds the address. */
  admits(address: string): boolean {
    if (!this.#closed) return true;
    const known = read(address);
    if (known === undefined) return false;
    return this.#networks.some(([network, bits]) => network.kind() === known.kind() && known.match([network, bits]));
  }
}
