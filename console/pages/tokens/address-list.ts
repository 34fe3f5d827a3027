/** Checks the allowed addresses of a token, one a line: IPv4, IPv6 and networks of both. Pure. */

export interface AddressFault {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

export function addressFaults(text: string): readonly AddressFault[] {
  return text
    .split('\n')
    .map((line, index) => ({ line: index + 1, text: line.trim() }))
    .filter((entry) => entry.text !== '' && !isAddressOrNetwork(entry.text));
}

function isAddressOrNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  if (more.length > 0) return false;
  const isV4 = isIpv4(address);
  if (!isV4 && !isIpv6(address)) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (isV4 ? 32 : 128));
}

function isIpv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

function isIpv6(text: string): boolean {
  // The platform knows the form; a zone or a port is none of it.
  return /^[0-9a-fA-F:.]+$/.test(text) && text.includes(':') && URL.canParse(`http://[${text}]/`);
}
