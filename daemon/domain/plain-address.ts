/** One e-mail address without a name: nothing in it could add a recipient or a header to a mail. */
export function isPlainAddress(text: string): boolean {
  return /^[^\s@,;:<>()"\\]+@[^\s@,;:<>()"\\]+$/.test(text);
}
