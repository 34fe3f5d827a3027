/** 32 hexadecimal digits; also where the page came without HTTPS, which has no `crypto.randomUUID`. */
export function randomId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
