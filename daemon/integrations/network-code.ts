/** What may be told of a failure of the network. */
import { AddressRefused } from '../upstream/address-guard.ts';

/** The code of a failure of the network, which says enough and names nobody; undefined where there is none. */
export function networkCode(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth += 1) {
    if ('code' in at && typeof at.code === 'string') return at.code;
    if (at.name === 'TimeoutError') return 'TIMEOUT';
  }
  return undefined;
}

/** What the egress guard refused, also at the bottom of what a client of the network reports. */
export function refusedAddress(error: unknown): AddressRefused | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if (at instanceof AddressRefused) return at;
  }
  return undefined;
}

/** True when the egress guard said no. */
export function isRefusedAddress(error: unknown): boolean {
  return refusedAddress(error) !== undefined;
}
