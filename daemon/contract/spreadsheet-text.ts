/**
 * Texts in cells of CSV files: spreadsheets run what begins like a formula, in East Asia also with the wide signs of a
 * keyboard there.
 */
const formula = /^[=+\-@\t\r＝＋－＠]/;
const guarded = new RegExp(`^'${formula.source.slice(1)}`);

/** The text, with a mark in front where a spreadsheet would run it. */
export function guardFormula(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

/** The text of a cell, without that mark. */
export function unguardFormula(cell: string): string {
  return guarded.test(cell) ? cell.slice(1) : cell;
}
