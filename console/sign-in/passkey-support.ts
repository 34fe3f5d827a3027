import type { StatusView } from '../../daemon/contract/status.ts';

/** Whether passkeys can be used here: the browser must know them, and this be the address they are made for. */
export function hasPasskeys(status: Pick<StatusView, 'server_address'> | undefined): boolean {
  const address = status?.server_address ?? '';
  const isHere = URL.canParse(address) && new URL(address).origin === window.location.origin;
  // Browsers tell no names of addresses without one; the server refuses them likewise.
  const isNamed = /[a-z]/i.test(window.location.hostname);
  return isHere && isNamed && window.isSecureContext && typeof window.PublicKeyCredential === 'function';
}
