/** JSON text over lines. Pure. */

const parts = /("[^"\\]*(?:\\.[^"\\]*)*")|([[{])\s*([\]}])?|\s*([\]}])|([,:])|\s+/g;

/**
 * The same JSON with a line for each member, every value as it was written: read and written anew, numbers above 2^53
 * would become others, and of two members of one name the first would be gone.
 */
export function formattedJson(text: string): string {
  let line = '\n';
  return text.replaceAll(parts, (_, string, open, shut, close, mark) => {
    if (string) return string;
    if (open && shut) return open + shut;
    if (open) {
      line += '  ';
      return open + line;
    }
    if (close) {
      line = line.slice(0, -2);
      return line + close;
    }
    return mark ? mark + (mark === ':' ? ' ' : line) : '';
  });
}
