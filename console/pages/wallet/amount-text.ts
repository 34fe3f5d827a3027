/** The amount of a top-up as it stands in its field. */

const longest = 12;

/**
 * Whole amounts count from 1 on, and lose what groups their digits. Other numbers stay as they were typed: without its
 * point, 1.5 would be 15. Nothing stays nothing while it is being typed.
 */
export function amountText(typed: string): string {
  // Chinese keyboards write full-width digits too.
  const text = typed.normalize('NFKC').replaceAll(/[^\d.,-]/g, '');
  const plain = /^\d{1,3}(?:,\d{3})+$/.test(text) ? text.replaceAll(',', '') : text;
  return /^-?\d+$/.test(plain) ? String(Math.max(1, Number(plain.slice(0, longest)))) : plain.slice(0, longest);
}
