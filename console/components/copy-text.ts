const longest = 40;

/** What is said of a copied text: cut at 40 characters, of a secret only its ends. */
export function shownAfterCopy(text: string, isSecret: boolean): string {
  if (isSecret) return maskedSecret(text);
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const characters = [...line];
  return characters.length > longest ? `${characters.slice(0, longest).join('')}…` : line;
}

/** `sk-…9fK2`: the prefix up to the first dash where there is one, and the last four characters. */
export function maskedSecret(secret: string): string {
  const prefix = /^[A-Za-z]{1,8}[-_]/.exec(secret)?.[0] ?? '';
  const rest = secret.slice(prefix.length);
  // Of a short one the end would be most of it.
  return `${prefix}…${rest.length >= 12 ? rest.slice(-4) : ''}`;
}
