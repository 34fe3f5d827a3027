/** Names of properties that take an element out of its place, over other things. */
const banned =
  /^(?:position|z-index|inset.*|top|right|bottom|left|transform|translate|scale|rotate|zoom|offset.*|behavior|-moz-.*)$/;
const calls = /(?:url|image|image-set|-webkit-image-set|src|expression|element|paint)\s*\(|javascript:|@import/i;

/** A style attribute without what covers the page or fetches; declarations that cannot be read plainly are dropped. */
export function cleanStyle(style: string): string {
  const plain = style.replaceAll(/\/\*[\s\S]*?(?:\*\/|$)/g, ' ');
  return plain
    .split(';')
    .flatMap((declaration) => {
      const colon = declaration.indexOf(':');
      const name = declaration.slice(0, colon).trim().toLowerCase();
      const value = declaration.slice(colon + 1).trim();
      // A backslash may spell any of the names that are looked for.
      if (colon < 1 || value === '' || /[\\<>{}]/.test(declaration)) return [];
      if (!/^-{0,2}[a-z][a-z-]*$/.test(name) || name.startsWith('--')) return [];
      // Browsers know most of these by the name that they once had, too.
      if (banned.test(name.replace(/^-webkit-/, ''))) return [];
      if (calls.test(value) || (name.startsWith('margin') && value.includes('-'))) return [];
      return [`${name}: ${value}`];
    })
    .join('; ');
}
