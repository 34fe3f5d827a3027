/** A text in a cell of a CSV file; one that a spreadsheet would run as a formula is made text. */
export function textCell(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}
