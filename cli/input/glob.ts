/**
 * Whether a whole name fits a pattern, in which `*` stands for any text and `?` for one character. Without a pattern all
 * names do.
 */
export function globTest(pattern: string | undefined, letters: 'as-written' | 'any-case'): (name: string) => boolean {
  if (pattern === undefined) return () => true;
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  const expression = new RegExp(`^${source}$`, letters === 'any-case' ? 'i' : '');
  return (name) => expression.test(name);
}
