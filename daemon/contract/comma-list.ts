/** Lists that columns and calls carry as one comma-joined text: groups, models, model limits. */

/** The members of a comma list in order: trimmed, without empty ones and repeats. */
export function splitCommaList(text: string): string[] {
  const members = new Set<string>();
  for (const part of text.split(',')) {
    const member = part.trim();
    if (member !== '') members.add(member);
  }
  return [...members];
}
