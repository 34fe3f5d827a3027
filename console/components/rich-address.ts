/** An address that untrusted text may link to: absolute, of the web or of mail; "" for every other. */
export function outsideAddress(address: string): string {
  try {
    const url = new URL(address);
    const isAllowed = url.protocol === 'https:' || url.protocol === 'http:' || url.protocol === 'mailto:';
    // A name before the host is there to be mistaken for it.
    return isAllowed && url.username === '' && url.password === '' ? url.href : '';
  } catch {
    return '';
  }
}
